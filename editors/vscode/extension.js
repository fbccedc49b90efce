// Starts baker-lsp for files of the language.
"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const settings = workspace.getConfiguration("baker");
  client = new LanguageClient(
    "baker",
    "Baker",
    { command: settings.get("server"), args: settings.get("importFolders") },
    { documentSelector: [{ scheme: "file", language: "baker" }] },
  );
  return client.start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
