import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { ExportFormat, RedactionPreview } from '../../protocol/channels/exports';
import type { ConversationView } from '../../protocol/conversation';
import type { Services } from '../services';
import type { NamedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import {
  allPreviews,
  exportFileName,
  freeName,
  type Redaction,
  redactionReport,
  titleWithoutSecrets,
  WITHOUT_SECRETS,
} from './exportText';

const CHAIN: ConversationView = { kind: 'chain' };

/** What one export of several conversations writes. */
interface Attempt {
  readonly sessions: readonly NamedSession[];
  /** One for each session. */
  readonly previews: readonly RedactionPreview[];
  readonly format: ExportFormat;
  readonly redaction: Redaction;
}

/**
 * Asks once for a format and a folder; the worker writes a file without secrets for each session, and replaces none. Then says what
 * was replaced, and offers to keep or replace other things.
 */
export async function exportConversations(sessions: readonly NamedSession[], services: Services): Promise<void> {
  const { client, dialogs, formats, t } = services;
  const format = await pickFormat(services);
  if (format === null) return;
  const looking = t('Looking for secrets in {0} sessions', formats.number(sessions.length));
  const previews = await dialogs.duringUnlessSkipped(looking, (signal) =>
    inTurn(sessions, ({ path }) => client.exports.previewRedaction(path, CHAIN, randomUUID(), signal)),
  );
  if (previews === null) return;
  await exportInto({ sessions, previews, format, redaction: WITHOUT_SECRETS }, services);
}

function pickFormat({ dialogs, t }: Services): Promise<ExportFormat | null> {
  const choices = [
    { label: 'Markdown', description: t('To read, and to put into notes and issues'), value: 'markdown' },
    { label: 'HTML', description: t('One page that looks like the conversation'), value: 'html' },
    { label: 'JSON', description: t('For programs'), value: 'json' },
  ] as const;
  const options = { title: t('Export Conversations'), placeholder: t('Choose a format') };
  return dialogs.choose<ExportFormat>([{ heading: null, choices }], options);
}

async function exportInto(attempt: Attempt, services: Services): Promise<void> {
  const { client, dialogs, formats, log, t } = services;
  const { sessions, previews, format, redaction } = attempt;
  const folder = await askFolder(services);
  if (folder === null) return;
  const taken = new Set((await vscode.workspace.fs.readDirectory(folder)).map(([name]) => name.toLowerCase()));
  const problems: string[] = [];
  const exporting = t('Exporting {0} sessions', formats.number(sessions.length));
  const isDone = await dialogs.duringUnlessSkipped(exporting, async (signal, report) => {
    for (const [at, session] of sessions.entries()) {
      if (signal.aborted) break;
      const label = sessionLabel(session, t);
      const preview = previews[at];
      const title = redaction.isRedacted && preview !== undefined ? titleWithoutSecrets(label, preview) : label;
      const name = freeName(exportFileName(title, format), taken);
      const target = vscode.Uri.joinPath(folder, name).fsPath;
      const request = { filePath: session.path, view: CHAIN, format, target, ...redaction };
      const { problem } = await client.exports.exportConversation(request, randomUUID(), signal);
      if (problem !== null) problems.push(problem);
      report(((at + 1) / sessions.length) * 100);
    }
    return true;
  });
  if (isDone === null) return;
  for (const problem of problems) log.warn(`Failed to export a conversation: ${problem}`);
  // The files are written; the message can stay open, so it is not awaited.
  void offerMore(attempt, problems, folder, services);
}

/** One after the other: each of them reads a transcript that can be large. */
async function inTurn<T, R>(list: readonly T[], work: (each: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  for (const each of list) results.push(await work(each));
  return results;
}

async function askFolder({ dialogs, t }: Services): Promise<vscode.Uri | null> {
  const local = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'file')?.uri;
  const [folder = null] =
    (await vscode.window.showOpenDialog({
      defaultUri: local ?? vscode.Uri.file(homedir()),
      canSelectFiles: false,
      canSelectFolders: true,
      openLabel: t('Export Here'),
      title: t('Export Conversations'),
    })) ?? [];
  if (folder === null || folder.scheme === 'file') return folder;
  void dialogs.notify('error', t('An export is written to the disk that the sessions are on.'));
  return null;
}

async function offerMore(
  attempt: Attempt,
  problems: readonly string[],
  folder: vscode.Uri,
  services: Services,
): Promise<void> {
  const { dialogs, formats, run, t } = services;
  const { sessions, previews, redaction } = attempt;
  const where = basename(folder.fsPath) === '' ? dirname(folder.fsPath) : basename(folder.fsPath);
  const done = sessions.length - problems.length;
  const exported =
    done === 1
      ? t('Exported 1 session to “{0}”.', where)
      : t('Exported {0} sessions to “{1}”.', formats.number(done), where);
  const [problem] = problems;
  const failed =
    problem === undefined ? [] : [t('{0} could not be exported. {1}', formats.number(problems.length), problem)];
  const report = redactionReport(allPreviews(previews), redaction, formats, t);
  const open = t('Open Folder');
  const isOnThisDesktop = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
  const kind = problem !== undefined ? 'error' : report.isWarning ? 'warning' : 'info';
  const message = [exported, ...failed, ...report.sentences].join(' ');
  const buttons = [...(isOnThisDesktop ? [open] : []), ...report.others.map(({ label }) => label)];
  const answer = await dialogs.notify(kind, message, ...buttons);
  if (answer === open) await vscode.commands.executeCommand('revealFileInOS', folder);
  const other = report.others.find(({ label }) => label === answer);
  if (other === undefined) return;
  await run('rethread.export', () => exportInto({ ...attempt, redaction: other.redaction }, services));
}
