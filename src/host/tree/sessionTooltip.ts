import type { SessionDetails, SessionSummary } from '../../shared/api/worker';
import type { Finding, Severity } from '../../shared/finding';
import type { ScannedSession } from '../../shared/session';
import type { Formats } from '../text/formats';
import { sessionTitle } from '../text/sessionTitle';
import type { Translate } from '../text/translate';
import { sessionIcon } from './sessionAppearance';

const MAX_FINDINGS = 5;
const MAX_TITLE_CHARACTERS = 300;

/** The part of VS Code's `MarkdownString` that is needed: `appendText` escapes, `appendMarkdown` does not. */
export interface MarkdownSink {
  appendText(text: string): unknown;
  appendMarkdown(markdown: string): unknown;
}

const SEVERITY_ICONS: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', info: 'info' };

/** Writes what is known of a session. Everything that comes from a transcript goes in as text. */
export function writeSessionTooltip(
  sink: MarkdownSink,
  session: SessionSummary,
  details: SessionDetails,
  formats: Formats,
  t: Translate,
): void {
  const { scan, metadata } = details;
  sink.appendMarkdown('**');
  sink.appendText(sessionTitle({ ...session, title: metadata.title }, t).slice(0, MAX_TITLE_CHARACTERS));
  sink.appendMarkdown('**\n\n');
  sink.appendMarkdown(`$(${sessionIcon({ ...session, live: null }).id.replace('~spin', '')}) `);
  sink.appendText(verdict(scan, formats, t));
  if (session.health === 'repaired') {
    sink.appendMarkdown('\n\n$(history) ');
    sink.appendText(t('Repaired; the repair can be undone.'));
  }
  writeFindings(sink, scan.result.findings, formats, t);
  sink.appendMarkdown('\n\n---\n\n');
  for (const [name, value] of facts(details, formats, t)) {
    sink.appendText(t('{0}: {1}', name, value));
    sink.appendMarkdown('  \n');
  }
}

/** The sentence that people open the tooltip for. */
export function verdict({ result, problem }: ScannedSession, formats: Formats, t: Translate): string {
  if (result.status === 'missing') return t('The transcript is gone.');
  if (result.status === 'unreadable') return problem ?? t('The transcript cannot be read.');
  if (result.messageCount === 0 && result.status === 'healthy') {
    return t('Nothing was said in this session: Claude has nothing to load.');
  }
  return t(
    'Claude will load {0} of {1} messages.',
    formats.number(result.resume.loads),
    formats.number(result.resume.of),
  );
}

function writeFindings(sink: MarkdownSink, findings: readonly Finding[], formats: Formats, t: Translate): void {
  if (findings.length === 0) return;
  sink.appendMarkdown('\n\n');
  const gravest = [...findings].sort((a, b) => weight(a.severity) - weight(b.severity));
  for (const finding of gravest.slice(0, MAX_FINDINGS)) {
    sink.appendMarkdown(`- $(${SEVERITY_ICONS[finding.severity]}) `);
    sink.appendText(finding.message);
    if (finding.lines.length > 0) {
      sink.appendMarkdown(' ');
      sink.appendText(
        finding.lines.length === 1
          ? t('(line {0})', formats.lines(finding.lines))
          : t('(lines {0})', formats.lines(finding.lines)),
      );
    }
    sink.appendMarkdown('\n');
  }
  if (findings.length > MAX_FINDINGS) {
    sink.appendMarkdown('- ');
    sink.appendText(t('and {0} more', formats.number(findings.length - MAX_FINDINGS)));
    sink.appendMarkdown('\n');
  }
}

function facts({ scan, metadata, live }: SessionDetails, formats: Formats, t: Translate): [string, string][] {
  const named: [string, string | null][] = [
    [t('Last message'), metadata.lastMessageMs === null ? null : formats.dateTime(metadata.lastMessageMs)],
    [t('Messages'), scan.result.status === 'unreadable' ? null : formats.number(scan.result.messageCount)],
    [t('Size'), formats.size(scan.result.fileSize)],
    [t('Model'), metadata.model],
    [t('Branch'), metadata.gitBranch],
    [t('Claude Code'), metadata.clientVersion],
    [t('Process'), live === null ? null : liveFact(live, t)],
  ];
  return named.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '');
}

function liveFact(live: NonNullable<SessionDetails['live']>, t: Translate): string {
  switch (live) {
    case 'busy':
      return t('running, at work');
    case 'waiting':
      return t('running, waits for you');
    case 'idle':
      return t('running, idle');
  }
}

function weight(severity: Severity): number {
  return ['error', 'warning', 'info'].indexOf(severity);
}
