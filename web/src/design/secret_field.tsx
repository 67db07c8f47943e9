interface Props {
  label: string;
  value: string;
  /** Why the text is not accepted, or null. */
  mistake: string | null;
  onInput(text: string): void;
}

/** A field for a pasted link or key. */
export function SecretField({ label, value, mistake, onInput }: Props) {
  return (
    <div class="field">
      <label for="secret">{label}</label>
      <input
        id="secret"
        type="password"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        value={value}
        aria-invalid={mistake !== null}
        aria-describedby={mistake !== null ? "secret-mistake" : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {mistake !== null && <p id="secret-mistake" class="small loss" role="alert">{mistake}</p>}
    </div>
  );
}
