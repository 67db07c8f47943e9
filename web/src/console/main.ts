// What the pages of the console do with scripts. Without them, every page works too.

import "../design/index.css";
import "./console.css";
import "./rounds.css";
import "../../../service/plots/views/templates/plot.css";
import { followArrowKeys } from "./arrow_keys.js";
import { tapCards } from "./correction.js";
import { closeMenusOutside } from "./menu.js";
import { startRefreshing } from "./refresh.js";

followArrowKeys();
closeMenusOutside();
startRefreshing();
for (const form of document.querySelectorAll<HTMLFormElement>("form[data-correction]")) tapCards(form);
