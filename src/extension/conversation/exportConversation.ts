import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { ExportFormat, ExportOutcome, ExportRequest, RedactionPreview } from '../../protocol/channels/exports';
import type { ConversationView } from '../../protocol/conversation';
import type { Services } from '../services';
import type { Translate } from '../text/translate';
import { exportFileName, redactionText, titleWithoutSecrets } from './exportText';

export interface Exported {
  readonly filePath: string;
  readonly title: string;
  readonly view: ConversationView;
}

/** A step of a sequence stays open when a panel that finishes loading takes the focus. */
const STEP = { ignoreFocusOut: true } as const;

/** Asks for a format, how to handle secrets, and a file; the worker writes it. */
export async function exportConversation(exported: Exported, services: Services): Promise<void> {
  const { client, t } = services;
  const { filePath, view, title } = exported;
  const format = await pickFormat(t);
  if (format === undefined) return;
  const preview = await during(t('Looking for secrets in “{0}”', title), (signal) =>
    client.exports.previewRedaction(filePath, view, randomUUID(), signal),
  );
  if (preview === null) return;
  const redaction = await askRedaction(preview, services);
  if (redaction === undefined) return;
  const target = await askTarget(redaction.isRedacted ? titleWithoutSecrets(title, preview) : title, format, t);
  if (target === undefined) return;
  const outcome = await exportTo(target, { filePath, view, format, ...redaction }, title, services);
  if (outcome === null || outcome.isCancelled) return;
  if (outcome.problem !== null) {
    void vscode.window.showErrorMessage(outcome.problem);
    return;
  }
  // The file is written; the message can stay open, so it is not awaited.
  void offerOpen(target, t('Exported “{0}”: {1}', title, services.formats.size(outcome.bytes)), t);
}

async function pickFormat(t: Translate): Promise<ExportFormat | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly format: ExportFormat })[] = [
    { label: 'Markdown', description: t('To read, and to put into notes and issues'), format: 'markdown' },
    { label: 'HTML', description: t('One page that looks like the conversation'), format: 'html' },
    { label: 'JSON', description: t('For programs'), format: 'json' },
  ];
  const title = t('Export Conversation');
  return (await vscode.window.showQuickPick(items, { ...STEP, title, placeHolder: t('Choose a format') }))?.format;
}

type Redaction = Pick<ExportRequest, 'isRedacted' | 'isPossibleRedacted'>;

/** Undefined if the person cancels. Asks nothing if there are no secrets, and nothing that may be one. */
async function askRedaction(
  { secrets, possible }: RedactionPreview,
  { formats, t }: Services,
): Promise<Redaction | undefined> {
  if (secrets.length === 0 && possible === null) return { isRedacted: true, isPossibleRedacted: false };
  const choices: (vscode.QuickPickItem & Redaction)[] = [];
  if (secrets.length > 0) {
    const detail = redactionText(secrets, formats, t);
    choices.push({ label: t('Replace Secrets'), detail, isRedacted: true, isPossibleRedacted: false });
  }
  if (possible !== null) {
    const detail = t('Possibly secret, or only ids and checksums: {0}', redactionText([possible], formats, t));
    choices.push({ label: t('Replace What May Be Secret, Too'), detail, isRedacted: true, isPossibleRedacted: true });
  }
  const detail = t('Whoever gets the file can use them.');
  choices.push({ label: t('Keep Everything'), detail, isRedacted: false, isPossibleRedacted: false });
  const count = secrets.reduce((sum, each) => sum + each.count, 0);
  const known = count === 1 ? t('1 secret found') : t('{0} secrets found', formats.number(count));
  const title = count === 0 ? t('Possible secrets found') : known;
  const placeHolder = t('Tokens, keys and passwords, as far as they are known by their looks');
  const choice = await vscode.window.showQuickPick(choices, { ...STEP, title, placeHolder });
  return choice && { isRedacted: choice.isRedacted, isPossibleRedacted: choice.isPossibleRedacted };
}

async function askTarget(title: string, format: ExportFormat, t: Translate): Promise<vscode.Uri | undefined> {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri.fsPath ?? homedir();
  const { name, extension } = exportFileName(title, format);
  const target = await vscode.window.showSaveDialog({
    defaultUri: vscode.Uri.file(join(folder, name)),
    filters: { [format === 'markdown' ? 'Markdown' : format.toUpperCase()]: [extension] },
    saveLabel: t('Export'),
    title: t('Export Conversation'),
  });
  if (target === undefined || target.scheme === 'file') return target;
  void vscode.window.showErrorMessage(t('An export is written to the disk that the sessions are on.'));
  return undefined;
}

async function exportTo(
  target: vscode.Uri,
  request: Omit<ExportRequest, 'target'>,
  title: string,
  { client, t }: Services,
): Promise<ExportOutcome | null> {
  const exportId = randomUUID();
  return during(t('Exporting “{0}”', title), async (signal, report) => {
    const listening = client.exports.onExportProgress((news) => {
      if (news.exportId !== exportId || news.itemsTotal === 0) return;
      report((news.itemsDone / news.itemsTotal) * 100);
    });
    try {
      return await client.exports.exportConversation({ ...request, target: target.fsPath }, exportId, signal);
    } finally {
      listening.dispose();
    }
  });
}

/** Receives the progress in percent. */
type Report = (percent: number) => void;

/** Work that ends sooner shows no progress: the message would outlive it. */
const PROGRESS_AFTER_MS = 500;

/** null when the person cancels. */
async function during<T>(title: string, work: (signal: AbortSignal, report: Report) => Promise<T>): Promise<T | null> {
  const cancelling = new AbortController();
  let report: Report = () => undefined;
  const result = work(cancelling.signal, (percent) => {
    report(percent);
  }).catch((error: unknown) => {
    if (cancelling.signal.aborted) return null;
    throw error;
  });
  const isSlow = await Promise.race([result.then(() => false), sleep(PROGRESS_AFTER_MS, true)]);
  if (!isSlow) return result;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, async (progress, token) => {
    let shown = 0;
    report = (percent) => {
      progress.report({ increment: percent - shown });
      shown = percent;
    };
    const listening = token.onCancellationRequested(() => {
      cancelling.abort();
    });
    try {
      return await result;
    } finally {
      listening.dispose();
    }
  });
}

async function offerOpen(target: vscode.Uri, message: string, t: Translate): Promise<void> {
  const open = t('Open');
  const answer = await vscode.window.showInformationMessage(message, open);
  if (answer === open) await vscode.commands.executeCommand('vscode.open', target);
}
