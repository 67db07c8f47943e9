import { useState } from "preact/hooks";
import { SecretField } from "../design/secret_field.js";
import { gettext } from "../language/gettext.js";
import { LanguageSelect } from "../language/select.js";
import mark from "./icon.svg";

interface Props {
  message: string | null;
  /** Returns whether the text has a secret. */
  onOpen(text: string): boolean;
}

/** Where the link of a table is pasted. */
export function LinkForm({ message, onOpen }: Props) {
  const [text, setText] = useState("");
  const [isInvalid, setInvalid] = useState(false);
  const submit = (event: Event): void => {
    event.preventDefault();
    setInvalid(!onOpen(text));
  };
  return (
    <main class="narrow stack">
      <img class="mark" src={mark} alt="" />
      <h1>{gettext("Scoreboard")}</h1>
      <p class="quiet">{gettext("Open the scoreboard from the link to your table, or paste that link here.")}</p>
      <form class="panel" onSubmit={submit}>
        <SecretField
          label={gettext("Link to a table")}
          value={text}
          mistake={isInvalid ? gettext("This text has no link to a table.") : null}
          onInput={setText}
        />
        {message !== null && <p class="notice error" role="alert">{message}</p>}
        <button type="submit" class="button primary large">{gettext("Show the table")}</button>
      </form>
      <LanguageSelect />
    </main>
  );
}
