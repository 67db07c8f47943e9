// The cards of a disputed hand: tapped instead of typed, and the result computed by the service after every tap.

import { render } from "preact";
import { CardFace } from "../design/card.js";
import { nameCard } from "../design/cards.js";
import { CardSheet } from "../scorekeeper/round/card_sheet.js";

/** The rows of the form, which are text fields without scripts. */
class Rows {
  readonly fields: HTMLInputElement[];

  constructor(form: HTMLFormElement) {
    this.fields = [...form.querySelectorAll<HTMLInputElement>("input[data-recorded]")];
  }

  read(field: HTMLInputElement): string[] {
    return field.value.split(/\s+/).filter((card) => card !== "");
  }

  /** Find the field that has a card, and its place in it. */
  find(card: string): [HTMLInputElement, number] | undefined {
    for (const field of this.fields) {
      const place = this.read(field).indexOf(card);
      if (place >= 0) return [field, place];
    }
    return undefined;
  }

  /** Place a card. If it is elsewhere in the hand, the two change places. */
  put(field: HTMLInputElement, place: number, card: string): void {
    const other = this.find(card);
    const before = this.read(field)[place]!;
    if (other !== undefined) this.write(...other, before);
    this.write(field, place, card);
  }

  private write(field: HTMLInputElement, place: number, card: string): void {
    const cards = this.read(field);
    cards[place] = card;
    field.value = cards.join(" ");
  }
}

/** Cards are written as the service shows them; what somebody typed otherwise stays a text field. */
const WRITTEN = /^([2-9TJQKA][shdc])( [2-9TJQKA][shdc])*$/;

/** Makes the cards of the form respond to taps. */
export function tapCards(form: HTMLFormElement): void {
  const rows = new Rows(form);
  const discards = new Set(
    [...form.querySelectorAll<HTMLElement>("[data-discards]")].flatMap((each) => each.dataset["discards"]!.split(" ")),
  );
  const sheet = document.body.appendChild(document.createElement("div"));
  const faces = rows.fields.filter((field) => WRITTEN.test(field.value)).map((field) => {
    const face = field.parentElement!.querySelector<HTMLElement>(".cards")!;
    face.className = "card-buttons";
    face.setAttribute("role", "group");
    face.setAttribute("aria-label", field.dataset["row"]!);
    field.hidden = true;
    return { field, face };
  });
  const hint = form.querySelector<HTMLElement>("[data-hint]");
  if (hint !== null) hint.textContent = hint.dataset["hint"]!;
  const preview = form.querySelector<HTMLButtonElement>("[data-preview]")!;
  preview.hidden = faces.length === rows.fields.length;

  const choose = (field: HTMLInputElement, place: number): void => {
    const current = rows.read(field)[place];
    const close = (): void => {
      render(null, sheet);
      faces.find((each) => each.field === field)?.face.querySelectorAll("button")[place]?.focus();
    };
    render(
      <CardSheet
        title={`Which card was it? ${field.dataset["row"]}`}
        current={current}
        whereIs={(card) => rows.find(card)?.[0].dataset["row"]}
        isDisabled={(card) => discards.has(card)}
        onCard={(card) => {
          rows.put(field, place, card);
          draw();
          close();
          void showChanges(form);
        }}
        onCancel={close}
      />,
      sheet,
    );
  };
  const draw = (): void => {
    for (const { field, face } of faces) {
      const recorded = new Set(field.dataset["recorded"]!.split(" "));
      // What the row makes is known for the recorded cards only.
      face.parentElement!.classList.toggle("edited", !rows.read(field).every((card) => recorded.has(card)));
      render(
        <>
          {rows.read(field).map((card, place) => (
            <button
              key={place}
              type="button"
              class={recorded.has(card) ? "card" : "card changed"}
              data-suit={card[1]}
              data-card={card}
              onClick={() => choose(field, place)}
            >
              <CardFace card={card} />
              <span class="hidden-text">{recorded.has(card) ? nameCard(card) : `${nameCard(card)}, changed`}</span>
            </button>
          ))}
        </>,
        face,
      );
    }
  };
  for (const { face } of faces) face.replaceChildren();
  draw();
  if (rows.fields.some((field) => field.value !== field.dataset["recorded"])) void showChanges(form);
}

let newest = 0;

/** Replace what the correction would change by what the service computes for the cards of the form. */
async function showChanges(form: HTMLFormElement): Promise<void> {
  const shown = document.getElementById("what-if");
  if (shown === null) return;
  const number = ++newest;
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
  body.set("decision", "preview");
  shown.setAttribute("aria-busy", "true");
  const page = await fetch(form.action, { method: "POST", body }).then((response) => response.text(), () => null);
  if (number !== newest) return;
  const found = page === null ? null : new DOMParser().parseFromString(page, "text/html").getElementById("what-if");
  shown.removeAttribute("aria-busy");
  if (found === null) {
    const message = document.createElement("p");
    message.className = "notice error";
    message.textContent = "The service cannot be reached, or the session has ended. Nothing is stored. Reload the page and retry.";
    shown.replaceChildren(shown.firstElementChild!, message);
  } else {
    shown.replaceChildren(...found.childNodes);
  }
}
