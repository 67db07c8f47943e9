// Lists the messages of source files, and the texts in them that are no message. Prints them as JSON.
//
// A text is what a JSX element or one of its attributes shows, and every other string with several words.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [packages, ...files] = process.argv.slice(2);
const ts = createRequire(`${packages}/`)("typescript");

/** The positions of the messages among the arguments of a function, and of the context. */
const FUNCTIONS = {
  gettext: { messages: [0] }, gettextNodes: { messages: [0] },
  ngettext: { messages: [0, 1] }, ngettextNodes: { messages: [0, 1] },
  pgettext: { context: 0, messages: [1] },
};
/** Attributes that nobody reads. */
const TECHNICAL = /^(class|type|key|id|for|role|scope|href|src|rel|name|d|fill|stroke|viewBox|width|height|value|method|kind|of|inputmode|enterkeyhint|auto\w+|stroke-\w+|data-\w+|aria-(hidden|live|labelledby|describedby|current|pressed|expanded|atomic|modal))$/i;
const LETTER = /\p{L}/u;
const SEVERAL_WORDS = /\p{L}\S*\s+\S*\p{L}|^\p{Lu}\p{Ll}+[ .:…]|\p{L}\s*\uFFFC|\uFFFC\s+\S*\p{L}/u;

const texts = [];
const messages = [];

for (const file of files) {
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true, kind);
  const lineOf = (node) => source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
  const report = (node, text) => texts.push({ file, line: lineOf(node), text: text.trim() });

  const visit = (node) => {
    const called = ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? FUNCTIONS[node.expression.text] : undefined;
    if (called !== undefined) return visitCall(node, called);
    if (ts.isJsxText(node) && LETTER.test(node.text)) report(node, node.text);
    const text = textOf(node);
    if (text !== undefined && isShown(node, text)) report(node, text);
    ts.forEachChild(node, visit);
  };
  const visitCall = (call, { context, messages: positions }) => {
    // The language can change while the page is open, so that no message is translated before it is shown.
    if (!isInFunction(call)) report(call, `translated once: ${call.getText(source)}`);
    const literals = positions.map((position) => call.arguments[position]);
    if (!literals.every((each) => each !== undefined && ts.isStringLiteralLike(each))) report(call, `not literal: ${call.getText(source)}`);
    else {
      messages.push({
        file, line: lineOf(call), context: context === undefined ? null : call.arguments[context].text, ids: literals.map((each) => each.text),
      });
    }
    for (const argument of call.arguments.slice(Math.max(context ?? 0, ...positions) + 1)) visit(argument);
  };
  visit(source);
}

function isInFunction(node) {
  for (let { parent } = node; parent !== undefined; { parent } = parent) if (ts.isFunctionLike(parent)) return true;
  return false;
}

/** Return a string, with a mark for each expression in it. */
function textOf(node) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return node.head.text + node.templateSpans.map(({ literal }) => `\uFFFC${literal.text}`).join("");
  return undefined;
}

function isShown(node, text) {
  if (!LETTER.test(text)) return false;
  for (let [child, parent] = [node, node.parent]; parent !== undefined; [child, parent] = [parent, parent.parent]) {
    if (ts.isJsxAttribute(parent)) return !TECHNICAL.test(parent.name.getText());
    // The branches of a condition are shown; the condition is not.
    if (ts.isConditionalExpression(parent) && parent.condition !== child) continue;
    if (ts.isParenthesizedExpression(parent)) continue;
    if (ts.isBinaryExpression(parent) && parent.right === child && /^(&&|\|\||\?\?)$/.test(parent.operatorToken.getText())) continue;
    if (ts.isJsxExpression(parent)) {
      if (ts.isJsxAttribute(parent.parent)) continue;
      return true;
    }
    break;
  }
  return SEVERAL_WORDS.test(text) && !isTechnical(node);
}

/** Return whether a string is no text: an import, a comparison, the message of an exception, a type. */
function isTechnical(node) {
  for (let parent = node.parent; parent !== undefined && !ts.isFunctionLike(parent); parent = parent.parent) {
    if (ts.isImportDeclaration(parent) || ts.isTypeNode(parent) || ts.isJsxElement(parent)) return !ts.isJsxElement(parent);
    if (ts.isNewExpression(parent) && /Error$|^WrongDigest$/.test(parent.expression.getText())) return true;
    if (ts.isJsxAttribute(parent) || ts.isPropertyAssignment(parent)) return TECHNICAL.test(parent.name.getText());
  }
  return false;
}

console.log(JSON.stringify({ texts, messages }));
