//! Where the referee is.

use std::error::Error as _;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use tonic::Status;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};

/// How long a remote referee that was lost is looked for.
const SEEK_TIME: Duration = Duration::from_secs(60);

/// Says where the referee is. By default in the folder that `KINGMAKER_SEAT` names (default /ref), which holds the file
/// `token`, and the socket `ref.sock` or the file `address`, and `roots.pem` where the referee's certificate is signed
/// by an authority of its own.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// host:port of a remote referee.
    pub address: Option<String>,
    /// What it gave this bot.
    pub token: Option<String>,
    /// PEM certificates to trust instead of the system's.
    pub roots: Option<Vec<u8>>,
    /// Send the token unencrypted to another machine. On this one nothing is encrypted without roots.
    pub plaintext: bool,
}

/// Why a bot plays no more.
#[derive(Debug)]
pub enum Error {
    /// The referee could not be reached, or the connection to it broke.
    Lost(String),
    /// The referee ended the conversation, or there is none.
    Refused(String),
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let (Error::Lost(why) | Error::Refused(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for Error {}

/// Where the referee is, and how to speak to it; `patience`: how long to look for it once it is lost.
pub(crate) struct Place {
    pub name: String,
    pub token: String,
    pub endpoint: Endpoint,
    pub patience: Option<Duration>,
}

impl Options {
    pub(crate) fn find(mut self) -> Result<Place, Error> {
        match (self.address.take(), self.token.take()) {
            (Some(address), Some(token)) => self.remote(&address, token),
            (None, None) => self.seat(),
            _ => Err(Error::Refused("address and token go together: both for a remote referee, neither for a hosted bot".into())),
        }
    }

    fn seat(mut self) -> Result<Place, Error> {
        let folder = env::var_os("KINGMAKER_SEAT").filter(|folder| !folder.is_empty()).map_or(PathBuf::from("/ref"), PathBuf::from);
        let missing = |error: io::Error| {
            let hint = "KINGMAKER_SEAT names the folder with ref.sock and token";
            Error::Refused(format!("no referee at {}: {error}; {hint}", folder.display()))
        };
        let token = fs::read_to_string(folder.join("token")).map_err(missing)?.trim().to_owned();
        if let Some(address) = if_there(&folder.join("address")).map_err(missing)? {
            self.roots = if_there(&folder.join("roots.pem")).map_err(missing)?.or(self.roots);
            return self.remote(String::from_utf8_lossy(&address).trim(), token);
        }
        let socket = folder.join("ref.sock").display().to_string();
        let endpoint = Endpoint::from_shared(format!("unix:{socket}")).map_err(|error| Error::Refused(error.to_string()))?;
        Ok(Place { name: socket, token, endpoint, patience: None })
    }

    fn remote(self, address: &str, token: String) -> Result<Place, Error> {
        let wrong = |error: tonic::transport::Error| Error::Refused(format!("{address}: {}", reasons(&error)));
        let Some((host, _)) = address.rsplit_once(':') else {
            return Err(Error::Refused(format!("the address {address:?} is not host:port")));
        };
        let here = host == "localhost" || host == "[::1]" || host.starts_with("127.");
        let plain = self.roots.is_none() && (here || self.plaintext);
        let scheme = if plain { "http" } else { "https" };
        let mut endpoint = Endpoint::from_shared(format!("{scheme}://{address}"))
            .map_err(wrong)?
            .connect_timeout(Duration::from_secs(5))
            .http2_keep_alive_interval(Duration::from_secs(30));
        if !plain {
            let trust = match &self.roots {
                Some(roots) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(roots)),
                None => ClientTlsConfig::new().with_native_roots(),
            };
            endpoint = endpoint.tls_config(trust).map_err(wrong)?;
        }
        Ok(Place { name: address.to_owned(), token, endpoint, patience: Some(SEEK_TIME) })
    }
}

fn if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

impl Place {
    /// What the end of a stream means: a status with a cause behind it was made here, because the connection broke.
    pub fn explain(&self, status: &Status) -> Error {
        if status.source().is_some() || status.code() == tonic::Code::Unavailable {
            return Error::Lost(format!("the connection to the referee at {} is lost: {}", self.name, reasons(status)));
        }
        Error::Refused(format!("the referee at {} ended the conversation: {:?}: {}", self.name, status.code(), status.message()))
    }
}

/// What lies behind an error; the errors above it only say that something failed.
pub(crate) fn reasons(error: &(dyn std::error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}
