import * as vscode from 'vscode';

/** The text of a file of which a copy was kept, as VS Code's editor would show it. */
export async function readWouldBe(uri: vscode.Uri): Promise<string> {
  const bytes = await vscode.workspace.fs.readFile(uri);
  // A byte order mark is none of the text.
  return new TextDecoder('utf-8', { ignoreBOM: false }).decode(bytes);
}
