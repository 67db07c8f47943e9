import "../language/load.js";
import { render } from "preact";
import "../design/index.css";
import { App } from "./app.js";
import "./hand/hand.css";
import "./scorekeeper.css";
import "./round/round.css";

render(<App />, document.getElementById("page")!);
