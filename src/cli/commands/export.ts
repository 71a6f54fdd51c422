import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { Conversation } from '../../core/conversation/conversation';
import { conversationDocument, Stopped } from '../../core/conversation/export/exportDocument';
import { Redactor } from '../../core/conversation/export/redact';
import { writeExport } from '../../core/storage/writeExport';
import { nodeWriteFs } from '../../core/storage/writeFs';
import { countOf } from '../../core/util/countOf';
import type { ExportFormat, RedactionFinding } from '../../protocol/channels/exports';
import type { ConversationView } from '../../protocol/conversation';
import { defineCommand, FILE_HELP, oneFile, UsageError } from '../command';
import { type CommandContext, reportProblem } from '../context';
import { accessTranscript } from '../engines';
import { EXIT_CODE, type ExitCode } from '../environment';
import { createPage } from '../report/page';
import { formatBytes, formatCount, printable, shortenHome } from '../report/text';

interface ExportOptions {
  readonly format: ExportFormat;
  readonly isRedacted: boolean;
  /** As the person entered it; null for stdout. */
  readonly output: string | null;
}

const FORMATS: readonly ExportFormat[] = ['json', 'markdown', 'html'];
/** What Claude continues, with what came before, as `show` prints it. */
const VIEW: ConversationView = { kind: 'chain' };

export const command = defineCommand({
  options: { redact: { type: 'boolean' }, format: { type: 'string' }, output: { type: 'string' } },
  help,
  run(context, { values, positionals, isJson }) {
    const file = oneFile('export', positionals);
    const format = FORMATS.find((each) => each === (values.format ?? (isJson ? 'json' : 'markdown')));
    if (format === undefined) throw new UsageError('--format needs json, markdown or html.');
    if (isJson && format !== 'json') throw new UsageError('--json is the same as --format json.');
    if (values.output === '') throw new UsageError('--output needs a PATH.');
    return exportTo(context, file, { format, isRedacted: values.redact === true, output: values.output ?? null });
  },
});

function help(name: string): string {
  return `Usage: ${name} export FILE [options]

Writes a session as one document: what Claude goes on from, with what came before its
breaks and compactions. The session is not changed.

${FILE_HELP}

Options:
      --redact         replace tokens, keys and passwords by [redacted: <kind>], as far as
                       their form or their name shows what they are; read the document
                       before you share it
      --format FORMAT  markdown (by default), html or json
      --output PATH    write a file that only you can read, instead of stdout; an earlier
                       one is replaced, but never a transcript, a backup, a read-only file
                       or a link, and nothing in the folder of Claude Code
      --json           the same as --format json
  -h, --help           show this help

Exit codes:
  0  done
  1  the file was not written
  2  wrong usage, or something could not be read
`;
}

/** @param file as the person entered it */
async function exportTo(context: CommandContext, file: string, options: ExportOptions): Promise<ExitCode> {
  const { signal, configDir, out, environment } = context;
  const { filePath, engine, pacer } = await accessTranscript(context, file);
  const { createScanner, diagnostics } = engine;
  const conversation = new Conversation({ createScanner, pacer, filePath, diagnostics, isLive: () => false });
  try {
    await conversation.refresh();
    const head = await conversation.head(VIEW);
    if (head.problem !== null) {
      await reportProblem(context, filePath, head.problem, [file]);
      return EXIT_CODE.unusable;
    }
    const redactor = options.isRedacted ? new Redactor() : null;
    const progress = {
      get isStopped(): boolean {
        return signal.aborted;
      },
      report: () => Promise.resolve(),
    };
    let items = 0;
    const request = { view: VIEW, format: options.format, redactors: redactor === null ? [] : [redactor], progress };
    const pieces = conversationDocument(conversation, head, request, () => {
      items += 1;
    });
    if (options.output === null) {
      for await (const piece of pieces) await out.write(piece);
      if (redactor !== null) await context.err.write(`${redactionReport(redactor.findings)}\n`);
      return EXIT_CODE.ok;
    }
    const target = resolve(environment.cwd, options.output);
    const deps = { fs: nodeWriteFs, random: randomUUID };
    const written = await writeExport(target, { transcript: filePath, configDir }, pieces, deps);
    if (written.kind === 'failed') {
      await reportProblem(context, target, written.problem, []);
      return EXIT_CODE.found;
    }
    const page = createPage(environment);
    const path = printable(shortenHome(target, page.home));
    const report = `${page.colors.green('✓')} ${path}: ${countOf(items, 'item')}, ${formatBytes(written.bytes)}\n`;
    await out.write(redactor === null ? report : `${report}  ${redactionReport(redactor.findings)}\n`);
    return EXIT_CODE.ok;
  } catch (error) {
    // The caller of the command says that it was stopped.
    if (error instanceof Stopped) return EXIT_CODE.ok;
    throw error;
  } finally {
    conversation.close();
  }
}

function redactionReport(findings: readonly RedactionFinding[]): string {
  if (findings.length === 0) return 'No secrets were found.';
  return `Replaced: ${findings.map(({ kind, count }) => `${formatCount(count)} × ${kind}`).join(', ')}.`;
}
