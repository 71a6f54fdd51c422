import { realpath } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Editors } from './unsavedFiles';

/** The editors of this window. */
export const windowEditors: Editors = {
  async unsaved(paths) {
    const dirty = dirtyUris();
    if (dirty.length === 0) return [];
    const dirtyPaths = new Set(await Promise.all(dirty.map(({ fsPath }) => truePath(fsPath))));
    const found = await Promise.all(paths.map(async (path) => (dirtyPaths.has(await truePath(path)) ? [path] : [])));
    return found.flat();
  },

  async save(paths) {
    const wanted = new Set(await Promise.all(paths.map(truePath)));
    for (const uri of dirtyUris()) {
      if (!wanted.has(await truePath(uri.fsPath))) continue;
      const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === uri.toString());
      if (document === undefined) await vscode.workspace.save(uri);
      else await document.save();
    }
  },
};

/** Files with unsaved changes: texts, notebooks and custom editors. */
function dirtyUris(): vscode.Uri[] {
  const documents = vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri);
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ isDirty }) => isDirty);
  const uris = [...documents, ...tabs.flatMap(({ input }) => uriOf(input))].filter(({ scheme }) => scheme === 'file');
  return [...new Map(uris.map((uri) => [uri.toString(), uri])).values()];
}

function uriOf(input: unknown): vscode.Uri[] {
  const { TabInputText, TabInputNotebook, TabInputCustom, TabInputTextDiff } = vscode;
  if (input instanceof TabInputText || input instanceof TabInputNotebook || input instanceof TabInputCustom) {
    return [input.uri];
  }
  return input instanceof TabInputTextDiff ? [input.modified] : [];
}

/** An editor may know the file by a path through a symbolic link. */
async function truePath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}
