// A second implementation of the deal recipe (rules: "Verifiable deals"), in another language, with nothing shared.
// Reads deals.json and prints "N deals agree", or what differs, with status 1.
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const SUITS = "CDHS";
const RANKS = "23456789TJQKA";
const text = (card) => RANKS[card % 13] + SUITS[Math.floor(card / 13)];

// By ruleset: the lowest rank of the deck, the packets, the cards turned up.
const KING_52 = [0, Array(13).fill(1), 0];
const PIQUET = (packets) => [5, packets, 0];

function shape(ruleset, options) {
  if (ruleset === "kings_corner") return [0, Array(7).fill(1), 4];
  if (ruleset.startsWith("klaverjas")) return PIQUET([3, 2, 3]);
  if (ruleset === "king.simple" || options.deck === 32) return PIQUET(Array(8).fill(1));
  return KING_52;
}

function* words(seed, number) {
  for (let block = 0; ; block++) {
    const tail = Buffer.alloc(8);
    tail.writeUInt32BE(number, 0);
    tail.writeUInt32BE(block, 4);
    const chunk = createHmac("sha256", seed).update("kingmaker/deal/1").update(tail).digest();
    for (let at = 0; at < 32; at += 4) yield chunk.readUInt32BE(at);
  }
}

function shuffled(seed, number, lowest) {
  const deck = [...Array(52).keys()].filter((card) => card % 13 >= lowest);
  const source = words(seed, number);
  const below = (m) => {
    const limit = 2 ** 32 - (2 ** 32 % m);
    for (;;) {
      const word = source.next().value;
      if (word < limit) return word % m;
    }
  };
  for (let i = deck.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [deck[i], deck[j]] = [deck[j], deck[i]];
  }
  return deck;
}

function deal(seed, { ruleset, options }, { number, dealer }, players) {
  const [lowest, packets, turned] = shape(ruleset, options);
  const deck = shuffled(seed, number, lowest);
  const hands = Array.from({ length: players }, () => []);
  for (const packet of packets)
    for (let step = 1; step <= players; step++) hands[(dealer + step) % players].push(...deck.splice(0, packet));
  const dealt = { hands: hands.map((hand) => hand.sort((a, b) => a - b).map(text)) };
  return turned ? { ...dealt, turned: deck.splice(0, turned).map(text), stock: deck.map(text) } : dealt;
}

let deals = 0;
for (const match of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const seed = Buffer.from(match.seed, "hex");
  const commitment = createHash("sha256").update(seed).digest("hex");
  const wrong = commitment === match.commitment ? [] : ["commitment"];
  for (const known of match.deals) {
    const found = deal(seed, { options: {}, ...match }, known, known.hands.length);
    for (const key of ["hands", "turned", "stock"])
      if (JSON.stringify(found[key] ?? []) !== JSON.stringify(known[key] ?? [])) wrong.push(`deal ${known.number} ${key}`);
    deals++;
  }
  if (wrong.length) {
    console.error(`${match.ruleset} ${match.seed}: ${wrong.join(", ")}`);
    process.exitCode = 1;
  }
}
console.log(`${deals} deals agree`);
