import "../language/load.js";
import "../design/index.css";
import { renderPage } from "../language/page.js";
import { App } from "./app.js";
import "./board.css";

renderPage(() => <App />);
