// Starts `skillpm lsp` for the files that it checks; all else is in the server.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  // Another program or other settings: the server is started again.
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration("skillpm")) {
        await deactivate();
        await start();
      }
    }),
  );
  await start();
}

async function start() {
  const settings = vscode.workspace.getConfiguration("skillpm");
  const command = settings.get("path", "skillpm");

  client = new LanguageClient(
    "skillpm",
    "skillpm",
    { command, args: ["lsp"] },
    {
      documentSelector: [
        // A file of a skill can be of any language; the server decides by its path.
        { scheme: "file", language: "markdown" },
        { scheme: "file", pattern: "**/skillpm.{toml,lock}" },
        { scheme: "file", pattern: "**/{manifest.yaml,skill.json,tools.py,config.yaml}" },
        { scheme: "file", pattern: "**/{scripts,references,assets}/**" },
      ],
      initializationOptions: {
        notes: settings.get("notes", false),
        network: settings.get("network", false),
      },
    },
  );

  try {
    await client.start();
  } catch (error) {
    client = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    vscode.window.showErrorMessage(
      `skillpm: failed to start \`${command} lsp\`: ${reason}. Install skillpm, or set \`skillpm.path\`.`,
    );
  }
}

async function deactivate() {
  const running = client;
  client = undefined;
  await running?.stop();
}

module.exports = { activate, deactivate };
