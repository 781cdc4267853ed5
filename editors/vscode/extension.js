// Starts the language server, `bidcascade lsp`, for texts of bidding systems.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration("bidding");
  const [command, ...args] = settings.get("command");
  client = new LanguageClient(
    "bidding",
    "Bidding systems",
    { command, args },
    {
      documentSelector: [{ language: "bidding" }],
      initializationOptions: { deals: settings.get("deals") },
    },
  );
  return client.start();
};

exports.deactivate = () => client?.stop();
