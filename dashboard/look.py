"""The style of the card table; sizes follow the width that the page gives it."""

CSS = """
.km { container-type: inline-size; font-family: inherit; }
.km * { box-sizing: border-box; }
.km-table {
  --card: 46px; display: grid; gap: 10px; padding: 14px; border-radius: 18px; color: #f4f8f4;
  background: radial-gradient(ellipse at center, #33835a 0%, #216043 60%, #184b34 100%);
  box-shadow: inset 0 0 0 6px #0f3524;
  grid-template: "n n n" auto "w c e" auto "s s s" auto / minmax(64px, 1fr) minmax(0, 2.6fr) minmax(64px, 1fr);
}
.km-seat { min-width: 0; display: flex; flex-direction: column; gap: 6px; align-items: center; justify-content: center; }
.km-n { grid-area: n; } .km-e { grid-area: e; } .km-s { grid-area: s; } .km-w { grid-area: w; }
.km-label { max-width: 100%; font-size: 13px; line-height: 1.35; text-align: center; padding: 2px 10px; border-radius: 12px;
  background: #0b2a1c99; border: 2px solid transparent; }
.km-label.km-turn { border-color: #ffd84d; }
.km-name { display: block; font-weight: 650; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 24em; }
.km-facts { display: block; color: #d5e6da; font-size: 12px; }
.km-tag { display: inline-block; padding: 0 6px; margin: 0 2px; border-radius: 8px; background: #ffffff26; color: #fff; }
.km-tag.km-bad { background: #c62c2c; }
.km-fan { display: flex; justify-content: center; width: 100%; min-height: calc(var(--card) * 1.4); }
.km-fan > span { flex: 0 1 calc(var(--card) * .56); min-width: 0; }
.km-fan > span:last-child { flex: none; }
.km-side { flex-direction: column; align-items: center; justify-content: flex-start; width: auto;
  height: min(calc((var(--n) - 1) * 22px + var(--card) * 1.4), 330px); }
.km-side > span { flex: 0 1 22px; min-height: 0; }
.km-card { display: inline-block; position: relative; flex: none; width: var(--card); height: calc(var(--card) * 1.4);
  border-radius: calc(var(--card) * .13); background: linear-gradient(160deg, #fff, #f3f1ea); color: #16181d;
  border: 1px solid #b9b6ab; box-shadow: -1px 1px 3px #0006; font-family: Georgia, "DejaVu Serif", serif; line-height: 1;
  user-select: none; text-align: left; }
.km-card.km-red { color: #c1121f; }
.km-card i { position: absolute; left: 3px; top: 3px; width: calc(var(--card) * .36); font-style: normal; font-weight: 700;
  font-size: calc(var(--card) * .33); text-align: center; letter-spacing: -.06em; }
.km-card i + i { left: auto; top: auto; right: 3px; bottom: 3px; transform: rotate(180deg); }
.km-card i small { display: block; font-size: calc(var(--card) * .31); font-weight: 400; letter-spacing: 0; }
.km-card b { position: absolute; inset: 0; display: flex; align-items: center; justify-content: center; font-weight: 400;
  font-size: calc(var(--card) * .62); }
.km-fan > span:not(:last-child) :is(b, i + i) { display: none; }
.km-side .km-card i:first-child, .km-stack > span:not(:last-child) i:first-child { width: auto; letter-spacing: 0; white-space: nowrap; }
.km-side .km-card i:first-child small, .km-stack > span:not(:last-child) i:first-child small { display: inline; margin-left: 2px; }
.km-stack > span:not(:last-child) :is(b, i + i) { display: none; }
.km-card.km-best { outline: 3px solid #ffd84d; outline-offset: 1px; }
.km-card.km-fault { outline: 3px solid #ff5a4d; outline-offset: 1px; }
.km-card.km-new::after { content: ""; position: absolute; left: 15%; right: 15%; bottom: -9px; height: 4px; border-radius: 2px;
  background: #ffd84d; }
.km-empty { display: inline-block; width: var(--card); height: calc(var(--card) * 1.4); flex: none;
  border-radius: calc(var(--card) * .13); border: 2px dashed #ffffff4d; }
.km-back { background: repeating-linear-gradient(45deg, #24477a 0 5px, #30599a 5px 10px); border: 3px solid #fff; color: #fff; }
.km-centre { grid-area: c; --card: 58px; display: grid; place-items: center; align-content: center; min-height: 290px; gap: 4px 8px; }
.km-trick { grid-template: ". n ." "w . e" ". s ." / 1fr 1fr 1fr; }
.km-trick .km-n { grid-area: n; } .km-trick .km-e { grid-area: e; } .km-trick .km-s { grid-area: s; } .km-trick .km-w { grid-area: w; }
.km-piles { --card: 46px; grid-template: "nw n ne" "w k e" "sw s se" / 1fr 1fr 1fr; gap: 8px; }
.km-pile { display: flex; flex-direction: column; align-items: center; font-size: 11px; color: #d5e6da; gap: 2px; }
.km-stack { display: flex; flex-direction: column; align-items: center; }
.km-stack > span:not(:last-child) { height: 20px; }
.km-note { grid-area: c; font-size: 15px; text-align: center; }
.km-scores, .km-bids { width: 100%; border-collapse: collapse; font-size: 14px; table-layout: fixed; margin: 2px 0; }
.km-scores th, .km-scores td, .km-bids th, .km-bids td { padding: 5px 8px; text-align: center; border-bottom: 1px solid #8886;
  overflow: hidden; text-overflow: ellipsis; overflow-wrap: break-word; }
.km-scores th, .km-bids th { font-weight: 600; white-space: nowrap; }
.km-scores td:first-child, .km-scores th:first-child { text-align: left; width: 27%; }
.km-bids small { display: block; opacity: .8; font-weight: 400; }
.km-bids td.km-last { box-shadow: inset 0 0 0 2px #d9a400; border-radius: 4px; }
.km-bids .km-bad { color: #d33; font-weight: 600; }
@container (max-width: 620px) {
  .km-table { --card: 38px; padding: 12px 8px; gap: 8px 4px;
    grid-template-columns: minmax(58px, 1fr) minmax(0, 3fr) minmax(58px, 1fr); }
  .km-centre { --card: 46px; min-height: 230px; } .km-piles { --card: 36px; gap: 4px; }
  .km-w .km-label, .km-e .km-label { padding: 2px 4px; font-size: 12px; border-radius: 8px; }
  .km-w .km-facts, .km-e .km-facts { font-size: 11px; }
  .km-label .km-name { max-width: 100%; }
  .km-scores th, .km-scores td, .km-bids th, .km-bids td { padding: 5px 3px; font-size: 13px; }
}
"""

#: Less air above the title, and numbers with their names side by side, as many as the width bears.
PAGE = """
[data-testid=stMainBlockContainer] { padding-top: 4.5rem; padding-bottom: 4rem; }
[data-testid=stCaptionContainer] { color: inherit; opacity: .8; }
[data-testid=stCaptionContainer] :is(p, code) { color: inherit !important; }
button kbd { color: inherit !important; opacity: .85 !important; }
.kf { display: grid; grid-template-columns: repeat(auto-fill, minmax(136px, 1fr)); gap: 10px 16px; margin: 2px 0 6px !important; padding: 0 !important; }
.kf div { min-width: 0; }
.kf dt { font-size: 13px; opacity: .8; }
.kf dd { margin: 0 !important; font-size: 21px; font-weight: 600; line-height: 1.3; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
.kf small { display: block; margin-top: 1px; font-size: 12px; font-weight: 400; line-height: 1.35; opacity: .8; }
[data-testid=stElementContainer]:has(.km-swipe) { display: none; }
.km-swipe { margin: 0; font-size: 12px; opacity: .8; }
@media (max-width: 480px) {
  button kbd { display: none !important; }
  [data-testid=stElementContainer]:has(.km-swipe) { display: block; margin-bottom: -.6rem; }
  [data-testid=stMainBlockContainer] { padding-left: .9rem; padding-right: .9rem; }
  .kf { grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); gap: 10px; } .kf dd { font-size: 18px; }
}
"""
