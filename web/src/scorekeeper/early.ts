// A script of its own, which arrives before that of the page: it sends the first requests of a link that is opened.

import { sendEarly } from "../api/early.js";

const secret = location.hash.slice(1);
// A code that signs a phone in has no requests but its exchange, and a key none that the page would ask in this order.
if (/^ofc_link_\w+$/.test(secret)) sendEarly(secret);
