// Signing this phone in with a link that is valid once.

import { isPhoneCode, signIn } from "../api/session.js";
import { readSetting, writeSetting } from "./storage.js";

const PREFIX = "ofc_link_";
const LENGTH = 43;
const CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/** Return the secret of a link. If it is the code of a link that signs in once, this phone gets a link of its own. */
export async function exchange(secret: string): Promise<string> {
  if (!isPhoneCode(secret)) return secret;
  const stored = await readSetting("phone");
  const phone = stored?.code === secret ? stored : { code: secret, secret: drawSecret() };
  // It is stored before it is sent: if the page is closed or no response comes, the same request is sent again.
  await writeSetting("phone", phone);
  await signIn(phone.code, phone.secret);
  return phone.secret;
}

function drawSecret(): string {
  let secret = PREFIX;
  while (secret.length < PREFIX.length + LENGTH) {
    // Bytes above the largest multiple would make some characters more frequent.
    const [byte = 255] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < 4 * CHARACTERS.length) secret += CHARACTERS[byte % CHARACTERS.length];
  }
  return secret;
}
