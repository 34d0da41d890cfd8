//! Makes the messages from the protos; needs no protoc.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=proto/referee/v1");
    let protos = protox::compile(["referee/v1/referee_service.proto"], ["proto"])?;
    tonic_prost_build::configure().build_server(false).build_transport(false).compile_fds(protos)?;
    Ok(())
}
