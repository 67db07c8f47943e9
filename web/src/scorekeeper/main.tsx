import "../language/load.js";
import "../design/index.css";
import { renderPage } from "../language/page.js";
import { App } from "./app.js";
import "./hand/hand.css";
import "./scorekeeper.css";
import "./round/round.css";

renderPage(() => <App />);
