import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { chooseLanguage, setLanguage } from "./current.js";
import { gettext, gettextNodes, ngettext, pgettext, translatePhrase } from "./gettext.js";

afterEach(() => setLanguage("en", {}));

test("English needs no messages", () => {
  assert.equal(gettext("Loading…"), "Loading…");
  assert.equal(gettext("%(winner)s wins", { winner: "Ann" }), "Ann wins");
  assert.equal(pgettext("pair of", "queens"), "queens");
  assert.deepEqual([0, 1, 2].map((count) => ngettext("%(count)s card", "%(count)s cards", count)), ["0 cards", "1 card", "2 cards"]);
});

test("a translation takes the place of its message, in its context", () => {
  setLanguage("ru", { "Loading…": "Загрузка…", "pair of\u0004queens": "дам", "%(winner)s wins": "Победа: %(winner)s" });
  assert.equal(gettext("Loading…"), "Загрузка…");
  assert.equal(pgettext("pair of", "queens"), "дам");
  assert.equal(pgettext("other", "queens"), "queens");
  assert.equal(gettext("%(winner)s wins", { winner: "Аня" }), "Победа: Аня");
});

test("the plural form is that of the language", () => {
  setLanguage("ru", { "%(count)s card": { one: "%(count)s карта", few: "%(count)s карты", many: "%(count)s карт" } });
  const texts = [1, 3, 5, 11, 21].map((count) => ngettext("%(count)s card", "%(count)s cards", count));
  assert.deepEqual(texts, ["1 карта", "3 карты", "5 карт", "11 карт", "21 карта"]);
});

test("a value is used as it is, also if it looks like a placeholder", () => {
  assert.equal(gettext("%(one)s and %(other)s", { one: "%(other)s", other: "$&" }), "%(other)s and $&");
});

test("elements stand where the translation has their names", () => {
  setLanguage("de", { "%(name)s pays %(amount)s": "%(amount)s von %(name)s" });
  const name = { type: "b" };
  assert.deepEqual(gettextNodes("%(name)s pays %(amount)s", { name: name as never, amount: 5 }), ["", 5, " von ", name, ""]);
});

test("a phrase of the rules is translated with the phrases in it", () => {
  const row = { text: "top", message: "top", plural: null, number: 0, context: "row", values: {} };
  const [one, many] = ["the %(row)s has %(count)s card", "the %(row)s has %(count)s cards"];
  const phrase = { text: "the top has 2 cards", message: one, plural: many, number: 2, context: null, values: { count: 2, row } };
  assert.equal(translatePhrase(phrase), phrase.text);
  setLanguage("ru", { [one]: { one: "%(row)s: %(count)s карта", few: "%(row)s: %(count)s карты" }, "row\u0004top": "верх" });
  assert.equal(translatePhrase(phrase), "верх: 2 карты");
});

test("the choice of the user counts, then the languages of the browser", () => {
  assert.equal(chooseLanguage("", []), "en");
  assert.equal(chooseLanguage("", ["sv-SE", "de-AT", "ru"]), "de");
  assert.equal(chooseLanguage("a=1; language=ru; b=2", ["de"]), "ru");
  assert.equal(chooseLanguage("language=xx; other_language=ru", ["fr-FR"]), "fr");
  assert.equal(chooseLanguage("language=toString", ["EN-us", "ru"]), "en");
});
