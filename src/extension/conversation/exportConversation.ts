import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RedactionPreview } from '../../protocol/channels/exports';
import type { ConversationView } from '../../protocol/conversation';
import type { Services } from '../services';
import {
  exportFileName,
  formatOf,
  type Redaction,
  redactionReport,
  titleWithoutSecrets,
  WITHOUT_SECRETS,
} from './exportText';

export interface Exported {
  readonly filePath: string;
  readonly title: string;
  readonly view: ConversationView;
}

/** What one export writes, and where it proposes to write it. */
interface Attempt extends Exported {
  readonly preview: RedactionPreview;
  readonly redaction: Redaction;
  readonly proposed: vscode.Uri;
}

/** Asks for a file, and writes it without secrets. Then says what was replaced, and offers to keep or replace other things. */
export async function exportConversation(exported: Exported, services: Services): Promise<void> {
  const { client, dialogs, t } = services;
  const { filePath, view, title } = exported;
  const preview = await dialogs.duringUnlessSkipped(t('Looking for secrets in “{0}”', title), (signal) =>
    client.exports.previewRedaction(filePath, view, randomUUID(), signal),
  );
  if (preview === null) return;
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath ?? homedir();
  const { name } = exportFileName(titleWithoutSecrets(title, preview), 'markdown');
  const proposed = vscode.Uri.file(join(folder, name));
  await exportTo({ ...exported, preview, redaction: WITHOUT_SECRETS, proposed }, services);
}

async function exportTo(attempt: Attempt, services: Services): Promise<void> {
  const { dialogs, t } = services;
  const target = await vscode.window.showSaveDialog({
    defaultUri: attempt.proposed,
    filters: { Markdown: ['md'], HTML: ['html'], JSON: ['json'] },
    saveLabel: t('Export'),
    title: t('Export Conversation to Markdown, HTML or JSON'),
  });
  if (target === undefined) return;
  if (target.scheme !== 'file') {
    void dialogs.notify('error', t('An export is written to the disk that the sessions are on.'));
    return;
  }
  const bytes = await write(attempt, target.fsPath, services);
  // The file is written; the message can stay open, so it is not awaited.
  if (bytes !== null) void offerMore({ ...attempt, proposed: target }, bytes, services);
}

/** The size of the file in bytes; null if the person cancels or it cannot be written. */
async function write(
  { filePath, view, title, redaction }: Attempt,
  target: string,
  { client, dialogs, t }: Services,
): Promise<number | null> {
  const exportId = randomUUID();
  const outcome = await dialogs.duringUnlessSkipped(t('Exporting “{0}”', title), async (signal, report) => {
    const listening = client.exports.onExportProgress((news) => {
      if (news.exportId !== exportId || news.itemsTotal === 0) return;
      report((news.itemsDone / news.itemsTotal) * 100);
    });
    try {
      const request = { filePath, view, format: formatOf(target), target, ...redaction };
      return await client.exports.exportConversation(request, exportId, signal);
    } finally {
      listening.dispose();
    }
  });
  if (outcome === null || outcome.isCancelled) return null;
  if (outcome.problem === null) return outcome.bytes;
  void dialogs.notify('error', outcome.problem);
  return null;
}

async function offerMore(attempt: Attempt, bytes: number, services: Services): Promise<void> {
  const { dialogs, formats, run, t } = services;
  const { preview, redaction, proposed, title } = attempt;
  const { isWarning, sentences, others } = redactionReport(preview, redaction, formats, t);
  const message = [t('Exported “{0}”: {1}.', title, formats.size(bytes)), ...sentences].join(' ');
  const open = t('Open');
  const buttons = [open, ...others.map(({ label }) => label)];
  const answer = await dialogs.notify(isWarning ? 'warning' : 'info', message, ...buttons);
  if (answer === open) await vscode.commands.executeCommand('vscode.open', proposed);
  const other = others.find(({ label }) => label === answer);
  if (other === undefined) return;
  await run('rethread.export', () => exportTo({ ...attempt, redaction: other.redaction }, services));
}
