import type { SessionOverview, SessionState } from '../../protocol/message';
import { countOf, formatAge, formatBytes, formatCount, printable, shortenHome } from './format';
import { clip } from './messageReport';
import type { Page } from './page';

/** What a session is, above its messages. */
export function overviewReport(session: SessionOverview, total: number, page: Page): string {
  const { colors } = page;
  const place = [
    session.cwd === null ? null : shortenHome(session.cwd, page.home),
    session.gitBranch,
    session.model,
    session.clientVersion === null ? null : `Claude Code ${session.clientVersion}`,
  ].flatMap((part) => (part === null || part === '' ? [] : [printable(part)]));
  const age = session.updatedMs === null ? [] : [formatAge(session.updatedMs, page.nowMs)];
  const { loads, of } = session.resume;
  const isWhole = session.health === 'healthy';
  const loading = `Claude loads ${formatCount(loads)} of ${countOf(of, 'message')}`;
  const agents = session.subagents.length === 0 ? [] : [countOf(session.subagents.length, 'subagent')];
  const figures = [...age, countOf(total, 'row'), ...agents, formatBytes(session.fileSize)].join(' · ');
  return [
    colors.bold(clip(printable(session.title ?? session.sessionId), page.width)),
    ...(place.length === 0 ? [] : [`  ${colors.dim(place.join(' · '))}`]),
    `  ${stateText(session.state, page)} ${colors.dim(`· ${figures}`)}`,
    `  ${isWhole ? colors.dim(loading) : colors.red(loading)}`,
    `  ${colors.dim(printable(shortenHome(session.filePath, page.home)))}`,
    '',
  ].join('\n');
}

function stateText(state: SessionState, { colors }: Page): string {
  switch (state.kind) {
    case 'running':
      return colors.green({ busy: 'working', waiting: 'waiting for you', idle: 'running' }[state.status]);
    case 'ended':
      return 'ended';
    case 'interrupted': {
      const where = state.duringTool ? ' while a tool ran' : '';
      return colors.yellow(state.by === 'person' ? `interrupted${where}` : `ended before the reply`);
    }
    case 'waitingOnTool': {
      const names = [...new Set(state.calls.map(({ name }) => printable(name)))].join(', ');
      return colors.yellow(`waiting for the result of ${names}`);
    }
    case 'apiError':
      return colors.red(`ended with an error: ${printable(state.text).slice(0, 80)}`);
    case 'empty':
      return 'no messages';
  }
}
