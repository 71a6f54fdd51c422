import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { UsageApi, UsageView } from '../../shared/api/usage';
import type { UsageGrouping } from '../../shared/usage';
import type { Translate } from '../text/translate';

export interface ExportTokensParts {
  readonly usage: Pick<UsageApi, 'exportUsage'>;
  readonly prepare: () => void;
  readonly readView: () => UsageView;
  readonly t: Translate;
}

/** Asks for how the figures are grouped, and for a file; writes it. */
export async function exportTokens({ usage, prepare, readView, t }: ExportTokensParts): Promise<void> {
  const by = await pickGrouping(t);
  if (by === undefined) return;
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.file(join(firstFolder(), `tokens-by-${by}.csv`)),
    filters: { CSV: ['csv'] },
    saveLabel: t('Export'),
    title: t('Export Tokens'),
  });
  if (target === undefined) return;
  if (target.scheme !== 'file') {
    void vscode.window.showErrorMessage(t('An export is written to the disk that the sessions are on.'));
    return;
  }
  prepare();
  const progress = { location: vscode.ProgressLocation.Window, title: t('Counting tokens') };
  const { problem } = await vscode.window.withProgress(progress, () =>
    usage.exportUsage(by, readView(), target.fsPath),
  );
  if (problem !== null) {
    void vscode.window.showErrorMessage(t('Failed to export the tokens: {0}', problem));
    return;
  }
  // The file is written; the message may stay for as long as it likes.
  void offerOpen(target, t);
}

async function pickGrouping(t: Translate): Promise<UsageGrouping | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly by: UsageGrouping })[] = [
    { label: t('By Day'), by: 'day' },
    { label: t('By Model'), by: 'model' },
    { label: t('By Project'), by: 'project' },
    { label: t('By Session'), by: 'session' },
  ];
  const placeHolder = t('Choose what a line of the table is about');
  return (await vscode.window.showQuickPick(items, { title: t('Export Tokens'), placeHolder, ignoreFocusOut: true }))
    ?.by;
}

function firstFolder(): string {
  return vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath ?? homedir();
}

async function offerOpen(target: vscode.Uri, t: Translate): Promise<void> {
  const open = t('Open');
  const name = target.path.replace(/^.*\//, '');
  const answer = await vscode.window.showInformationMessage(t('Tokens exported to {0}', name), open);
  if (answer === open) await vscode.commands.executeCommand('vscode.open', target);
}
