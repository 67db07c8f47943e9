import "../language/load.js";
import { render } from "preact";
import "../design/index.css";
import { App } from "./app.js";
import "./board.css";

render(<App />, document.getElementById("page")!);
