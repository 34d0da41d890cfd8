.PHONY: proto
PY := .venv/bin/python
proto:  ## write the generated code from proto/
	$(PY) -m grpc_tools.protoc -I proto --python_out=. --grpc_python_out=. --mypy_out=quiet:. --mypy_grpc_out=quiet:. proto/referee/v1/*.proto
