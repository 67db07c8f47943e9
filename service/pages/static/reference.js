// Starts Swagger UI on the page of the API reference, with the OpenAPI document of this service.
"use strict";

(() => {
  const KEY_HEADER = "Authorization: Bearer $OFC_API_KEY";
  const ERRORS_FROM = 400;

  /** Return a JSON text with each list of plain values on one line. */
  function formatJson(value) {
    const text = JSON.stringify(value, null, 2);
    return text.replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_, items) => `[${items.replace(/\n\s*/g, " ")}]`);
  }

  /** Return the security requirements of an operation as lists of scopes; without a key, the list is null. */
  function readSecurity(spec, operation) {
    const security = operation.security ?? spec.get("security").toJS();
    return security.length ? security.map((requirement) => requirement.key ?? null) : [null];
  }

  /** Describe the key that an operation requires. */
  function describeAccess(spec, operation) {
    const requirements = readSecurity(spec, operation);
    if (!requirements.includes(null)) {
      const scopes = requirements.flat();
      return scopes.length ? `Requires a key with the scope '${scopes.join("' or '")}'.` : "Requires a key.";
    }
    return requirements.length > 1 ? "A key is optional." : "Requires no key.";
  }

  /** Return the request of an operation as the examples of the OpenAPI document have it. */
  function buildExample(spec, path, method, fn) {
    const resolve = (part) => (part.$ref ? spec.getIn(part.$ref.split("/").slice(1)).toJS() : part);
    const item = spec.getIn(["paths", path]).toJS();
    const operation = item[method];
    const parameters = {};
    for (const parameter of [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve)) {
      if (parameter.required || parameter.in === "header") {
        parameters[`${parameter.in}.${parameter.name}`] = parameter.example;
      }
    }
    const request = fn.buildRequest({ spec: spec.toJS(), operationId: operation.operationId, parameters });
    if (!readSecurity(spec, operation).includes(null)) {
      const [name, value] = KEY_HEADER.split(": ");
      request.headers[name] = value;
    }
    if (operation.requestBody) {
      const [type, media] = Object.entries(resolve(operation.requestBody).content)[0];
      const { value } = resolve(Object.values(media.examples)[0]);
      request.headers["Content-Type"] = type;
      request.body = typeof value === "string" ? value : formatJson(value);
    }
    return request;
  }

  /** Return the curl command of a request; the shell inserts the key. */
  function writeCommand(request, fn) {
    return fn.requestSnippetGenerator_curl_bash(request).replace(`'${KEY_HEADER}'`, `"${KEY_HEADER}"`);
  }

  /** Return a part of the document with the components in place of references to them, except those that it is within. */
  function inlineComponents(spec, value, within = []) {
    if (Array.isArray(value)) return value.map((each) => inlineComponents(spec, each, within));
    if (value === null || typeof value !== "object") return value;
    const { $ref, ...others } = value;
    if (typeof $ref === "string" && !within.includes($ref)) {
      const component = $ref.split("/").slice(1).reduce((part, name) => part[name], spec);
      return inlineComponents(spec, { ...component, ...others }, [...within, $ref]);
    }
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([name, each]) => [name, inlineComponents(spec, each, within)]));
  }

  /**
   * Return an operation or another part of the document without references.
   *
   * The resolver of Swagger UI reads the whole document again for each part, which takes seconds. This document has
   * only references to its own components.
   */
  async function resolveSubtree(spec, path) {
    const part = inlineComponents(spec, path.reduce((value, name) => value?.[name], spec));
    const [root, address, method] = path;
    if (root !== "paths" || method === undefined) return { spec: part, errors: [] };
    const shared = inlineComponents(spec, spec.paths[address].parameters ?? []);
    return { spec: { ...part, parameters: [...shared, ...(part.parameters ?? [])] }, errors: [] };
  }

  /** Return the operations whose name, path or description has every word of the search, by tag. */
  function filterOperations(tags, phrase) {
    const words = phrase.toLowerCase().split(/\s+/);
    const matches = (item, tag) => {
      const name = item.getIn(["operation", "operationId"], "");
      const texts = ["summary", "description"].map((field) => item.getIn(["operation", field], ""));
      const text = [tag, item.get("method"), item.get("path"), name, name.replaceAll("_", " "), ...texts].join(" ");
      return words.every((word) => text.toLowerCase().includes(word));
    };
    return tags
      .map((group, tag) => group.update("operations", (items) => items.filter((item) => matches(item, tag))))
      .filter((group) => group.get("operations").size);
  }

  /** Return the components that replace or extend those of Swagger UI. */
  function components({ React: { createElement, Fragment, useMemo }, Im }) {
    const parameters = (Original, { specSelectors }) => (props) => {
      const spec = specSelectors.specJson();
      const access = describeAccess(spec, spec.getIn(["paths", ...props.pathMethod]).toJS());
      const note = createElement("p", { className: "access" }, access);
      return createElement(Fragment, null, note, createElement(Original, props));
    };
    const responses = (Original, { getComponent, specSelectors, fn }) => (props) => {
      const spec = specSelectors.specJson();
      const request = useMemo(
        () => Im.fromJS(buildExample(spec, props.path, props.method, fn)),
        [spec, props.path, props.method],
      );
      const isError = (_, status) => Number(status) >= ERRORS_FROM;
      const errors = props.responses.filter(isError);
      const snippets = createElement(getComponent("RequestSnippets", true), { request });
      return createElement(
        Fragment,
        null,
        createElement("div", { className: "opblock-section-header" }, createElement("h4", null, "Example request")),
        createElement("div", { className: "example-request" }, snippets),
        createElement(Original, { ...props, responses: props.responses.filterNot(isError) }),
        createElement(
          "details",
          { className: "errors" },
          createElement("summary", null, `Errors: ${[...errors.keys()].sort().join(", ")}`),
          createElement(Original, { ...props, responses: errors, tryItOutResponse: null }),
        ),
      );
    };
    const FilterContainer = (_, { layoutActions }) => () =>
      createElement("input", {
        type: "search",
        className: "operation-search",
        placeholder: "Search operations",
        "aria-label": "Search operations",
        onChange: (event) => layoutActions.updateFilter(event.target.value.trim()),
      });
    const operations = (Original, { specSelectors }) => (props) =>
      specSelectors.taggedOperations().size
        ? createElement(Original, props)
        : createElement("p", { role: "status" }, "No operation matches the search.");
    return { parameters, responses, FilterContainer, operations };
  }

  /** Return the actions that extend those of Swagger UI: one operation is open at a time, and links open one. */
  function layoutActions({ Im }) {
    const setShown = (system, key, shown) =>
      system.getStore().dispatch({ type: "layout_show", payload: { thing: key, shown } });
    // The parts of an operation have longer keys.
    const isOperation = (key) => key[0] === "operations" && key.length === 3;
    const closeOthers = (system, key) => {
      for (const [other, isShown] of system.getState().getIn(["layout", "shown"], Im.Map())) {
        if (isShown && isOperation(other.toJS()) && !Im.is(other, Im.fromJS(key))) {
          setShown(system, other.toJS(), false);
        }
      }
    };
    const show = (original, system) => (key, isShown = true) => {
      if (isShown && isOperation(key)) {
        closeOthers(system, key);
      }
      return original(key, isShown);
    };
    // Sets the state and not the address, which is the link already; this leaves the browser's history as it is.
    const parseDeepLinkHash = (_, system) => (hash) => {
      const [tag, operation] = hash.replace(/^#\/?/, "").split("/");
      if (tag) {
        setShown(system, ["operations-tag", tag], true);
      }
      if (operation) {
        const key = ["operations", tag, operation];
        closeOthers(system, key);
        setShown(system, key, true);
        system.layoutActions.scrollTo(key);
      }
    };
    return { show, parseDeepLinkHash };
  }

  /** Return whether a part of the page is shown: tags are closed until somebody opens them, or searches. */
  const isShown = (original) => (layout, key, isOpen) => {
    const phrase = layout.get("filter");
    const isSearched = typeof phrase === "string" && phrase !== "";
    return original(key, isOpen || (key[0] === "operations-tag" && isSearched));
  };

  /** Return the plugin of Swagger UI that makes up this page. */
  function referencePlugin(system) {
    const useOwnAddress = (original) => (spec) => original({ ...spec, servers: [{ url: window.location.origin }] });
    return {
      fn: {
        opsFilter: filterOperations,
        resolveSubtree,
        requestSnippetGenerator_curl: (request) => writeCommand(request, system.getSystem().fn),
      },
      wrapComponents: components(system),
      statePlugins: {
        layout: { wrapActions: layoutActions(system), wrapSelectors: { isShown } },
        spec: { wrapActions: { updateJsonSpec: useOwnAddress } },
      },
    };
  }

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const setTheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", setTheme);
  setTheme();

  const root = document.getElementById("reference");
  const reference = SwaggerUIBundle({
    domNode: root,
    url: root.dataset.document,
    deepLinking: true,
    displayOperationId: true,
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    filter: true,
    requestSnippetsEnabled: true,
    requestSnippets: { generators: { curl: { title: "curl", syntax: "bash" } }, languages: ["curl"] },
    validatorUrl: null,
    plugins: [referencePlugin],
  });
  window.addEventListener("hashchange", () => {
    const hash = decodeURIComponent(location.hash);
    reference.layoutActions.parseDeepLinkHash(hash);
    document.getElementById(`operations-${hash.replace(/^#\/?/, "").replace("/", "-")}`)?.scrollIntoView();
  });
})();
