import type { SessionDetails } from '../../protocol/channels/sessions';
import type { ResumeRepair } from '../config/settings';
import { resumeCommand, type SessionRef } from '../../protocol/session';
import { isRunningState } from '../../protocol/sessionActivity';
import type { NamedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import type { TerminalRequest } from './terminals';
import type { Services } from '../services';

export interface ResumeFlowDeps extends Pick<Services, 'dialogs' | 'formats' | 't'> {
  readonly details: (session: SessionRef) => Promise<SessionDetails>;
  readonly isFolder: (path: string) => Promise<boolean>;
  /** What happens to a corrupted session before it is resumed. */
  readonly repairMode: () => ResumeRepair;
  /** Repairs without asking and reports the result. False if that failed; the failure is reported as well. */
  readonly repair: (session: NamedSession) => Promise<boolean>;
  /** Shows every edit and asks for confirmation. */
  readonly previewRepair: (session: NamedSession) => Promise<void>;
  readonly fork: (session: NamedSession) => Promise<void>;
  /** Environment variables of the terminal. */
  readonly environment: () => Readonly<Record<string, string | null>>;
  readonly runInTerminal: (request: TerminalRequest) => void;
}

/**
 * What a client tells the commands that it runs. A window that was opened by such a command passes it on, and a client that is
 * started with it takes itself for a part of another: it writes no transcript. (docs/format.md, "Live processes")
 */
const NOT_INHERITED: Readonly<Record<string, null>> = {
  CLAUDECODE: null,
  CLAUDE_CODE_CHILD_SESSION: null,
  CLAUDE_CODE_ENTRYPOINT: null,
  CLAUDE_CODE_SESSION_ID: null,
};

/** Resumes a session in a terminal, after a warning about any history that would be lost. */
export class ResumeFlow {
  readonly #deps: ResumeFlowDeps;

  constructor(deps: ResumeFlowDeps) {
    this.#deps = deps;
  }

  async resume(session: NamedSession): Promise<void> {
    const { details, dialogs, environment, isFolder, runInTerminal, t } = this.#deps;
    const title = sessionLabel(session, t);
    const command = resumeCommand(session.id);
    if (command === null) {
      this.#refuse(t('Claude Code cannot resume this transcript: its name is no session id.'));
      return;
    }
    const found = await dialogs.during(t('Looking at “{0}”', title), () => details(session));
    if (found.scan.problem !== null) {
      this.#refuse(found.scan.problem);
      return;
    }
    const { cwd } = found.metadata;
    if (cwd !== null && !(await isFolder(cwd))) {
      this.#refuse(t('The folder that this session was in is gone: {0}', cwd));
      return;
    }
    const isLive = isRunningState(found.activity.state);
    if (!(isLive ? await this.#mayRunTwice(session) : await this.#mayLoad(session, found))) return;
    runInTerminal({ name: title, cwd, env: { ...NOT_INHERITED, ...environment() }, command });
  }

  /** Two clients that run one session write two branches. */
  async #mayRunTwice(session: NamedSession): Promise<boolean> {
    const { dialogs, fork, t } = this.#deps;
    const [forkIt, resume] = [t('Fork Session…'), t('Resume Anyway')];
    const answer = await dialogs.ask({
      kind: 'warning',
      message: t('Claude Code is already running “{0}”.', sessionLabel(session, t)),
      detail: t('When two of them write to one session, each forgets what the other one did. A fork is safe.'),
      buttons: [forkIt, resume],
    });
    if (answer === forkIt) await fork(session);
    return answer === resume;
  }

  /** Repairs a corrupted session first if the setting says so; otherwise asks the person. */
  async #mayLoad(session: NamedSession, found: SessionDetails): Promise<boolean> {
    const { repairMode, repair } = this.#deps;
    const { status, findings, resume } = found.scan.result;
    if (status !== 'corrupted') return true;
    const isMendable = findings.some(({ severity, action }) => severity === 'error' && action === 'auto');
    // What was not measured is not relied on without asking.
    if (isMendable && resume.isExact && repairMode() === 'repair' && (await repair(session))) return true;
    return this.#askCorrupted(session, found);
  }

  async #askCorrupted(session: NamedSession, found: SessionDetails): Promise<boolean> {
    const { details, dialogs, previewRepair, formats, t } = this.#deps;
    const { loads, of } = found.scan.result.resume;
    const [repairFirst, resume] = [t('Repair…'), t('Resume Anyway')];
    const isRepairable = found.scan.result.findings.some(({ action }) => action !== 'tell');
    const answer = await dialogs.ask({
      kind: 'warning',
      message: t('“{0}” is corrupted.', sessionLabel(session, t)),
      detail: t('Claude will load {0} of {1} messages as it is.', formats.number(loads), formats.number(of)),
      buttons: isRepairable ? [repairFirst, resume] : [resume],
    });
    if (answer !== repairFirst) return answer === resume;
    await previewRepair(session);
    const after = await details(session);
    return after.scan.result.status !== 'corrupted';
  }

  #refuse(message: string): void {
    void this.#deps.dialogs.notify('error', message);
  }
}
