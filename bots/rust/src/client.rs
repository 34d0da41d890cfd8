//! The conversation with the referee: hello, batches of decisions, answers, goodbye.

use std::process::ExitCode;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::metadata::MetadataValue;
use tonic::transport::Channel;
use tonic::{Request, Streaming};

use crate::pb::play_request::Message as Said;
use crate::pb::play_response::Message as Heard;
use crate::pb::referee_service_client::RefereeServiceClient;
use crate::pb::{self, PlayRequest, PlayResponse};
use crate::seat::{Error, Options, Place, reasons};
use crate::tables::{Bot, Tables};

const VERSION: u32 = 1;
const SDK: &str = "kingmaker-rust/1";
/// How long a referee that is not there yet is waited for.
const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How long the referee has to take our last message.
const FAREWELL_TIME: Duration = Duration::from_secs(1);

/// Plays until the goodbye, and returns the status for the end of the process: 1, with a sentence on stderr, if the
/// referee cannot be found, refused the bot or was lost.
pub fn main(name: &str, bot: impl Bot) -> ExitCode {
    match play(name, bot, Options::default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kingmaker: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays all matches that the referee has for this bot, and returns when it says goodbye. A remote referee that is lost
/// is looked for again for a minute; it then asks again what was not answered.
///
/// # Errors
/// The referee cannot be found, refused the bot, or was lost.
pub fn play(name: &str, mut bot: impl Bot, options: Options) -> Result<(), Error> {
    let place = options.find()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Refused(error.to_string()))?;
    runtime.block_on(async {
        let mut patience = CONNECT_TIME;
        loop {
            let channel = connect(&place, patience).await?;
            match (converse(channel, &place, name, &mut bot).await, place.patience) {
                (Err(Error::Lost(why)), Some(seek_time)) => {
                    eprintln!("kingmaker: {why}; looking for it");
                    patience = seek_time;
                }
                (end, _) => return end,
            }
        }
    })
}

async fn connect(place: &Place, patience: Duration) -> Result<Channel, Error> {
    let deadline = Instant::now() + patience;
    let mut pause = Duration::from_millis(100);
    loop {
        match place.endpoint.connect().await {
            Ok(channel) => return Ok(channel),
            Err(error) if Instant::now() + pause > deadline => {
                return Err(Error::Refused(format!("no referee at {}: {}", place.name, reasons(&error))));
            }
            Err(_) => sleep(pause).await,
        }
        pause = (2 * pause).min(Duration::from_secs(2));
    }
}

/// One conversation, from hello to goodbye or to the end of the stream.
async fn converse(channel: Channel, place: &Place, name: &str, bot: &mut impl Bot) -> Result<(), Error> {
    let (outbox, messages) = mpsc::channel(4);
    let mut request = Request::new(ReceiverStream::new(messages));
    let token = MetadataValue::try_from(&place.token).map_err(|_| Error::Refused("the token is not plain text".into()))?;
    request.metadata_mut().insert("kingmaker-token", token);
    let hello = pb::Hello { min_version: VERSION, max_version: VERSION, features: vec![], name: name.into(), sdk: SDK.into() };
    say(&outbox, Said::Hello(hello)).await;
    let call = RefereeServiceClient::new(channel).play(request).await;
    let mut stream = call.map_err(|status| place.explain(&status))?.into_inner();
    let mut tables = Tables::default();
    while let Some(response) = stream.message().await.map_err(|status| place.explain(&status))? {
        match response.message {
            Some(Heard::Batch(batch)) => {
                tables.begin(bot, batch.rulesets, batch.match_starts)?;
                if !batch.decisions.is_empty() {
                    let answers = tables.answer(bot, batch.decisions)?;
                    say(&outbox, Said::Answers(pb::Answers { answers })).await;
                }
                tables.end(bot, batch.match_ends)?;
            }
            Some(Heard::Goodbye(_)) => {
                drop(outbox);
                part(&mut stream).await;
                break;
            }
            Some(Heard::Welcome(_)) | None => {}
        }
    }
    Ok(())
}

/// Gives a message to the stream; where that is over, reading it will tell why.
async fn say(outbox: &mpsc::Sender<PlayRequest>, message: Said) {
    let _ = outbox.send(PlayRequest { message: Some(message) }).await;
}

/// Waits a moment for the referee to have heard that our side is over.
async fn part(stream: &mut Streaming<PlayResponse>) {
    let _ = timeout(FAREWELL_TIME, async { while let Ok(Some(_)) = stream.message().await {} }).await;
}
