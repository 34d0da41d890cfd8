#!/bin/sh
# Writes internal/refereev1 from ../proto; needs protoc. OUT names another folder to write to.
set -e
tools=$(mktemp -d)
trap 'rm -r "$tools"' EXIT
GOBIN=$tools go install google.golang.org/protobuf/cmd/protoc-gen-go google.golang.org/grpc/cmd/protoc-gen-go-grpc
package=kingmakerbot/kingmaker/internal/refereev1
names=
for file in ../proto/referee/v1/*.proto; do
  names="$names,Mreferee/v1/$(basename "$file")=$package"
done
mkdir -p "${OUT:=internal/refereev1}"
${PROTOC:-protoc} -I../proto --plugin="$tools/protoc-gen-go" --plugin="$tools/protoc-gen-go-grpc" \
  --go_out="$OUT" --go_opt="module=$package$names" \
  --go-grpc_out="$OUT" --go-grpc_opt="module=$package$names" \
  ../proto/referee/v1/*.proto
