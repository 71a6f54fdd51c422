import { type FindingOffer, isForAutomaticRepair, isForRepair, isMendable } from '../../protocol/repair';
import { isSessionId, type SessionRef } from '../../protocol/session';
import { isUnrecoverable } from '../../protocol/sessionInfo';
import type { ResumeVerdict } from '../../protocol/terminals';
import type { ResumeRepair } from '../config/settings';
import { offerName } from '../repair/findingOffers';
import type { Services } from '../services';
import type { NamedSession, PlacedSession } from '../sessions/sessionsState';
import { sessionLabel } from '../text/sessionTitle';
import type { ChosenClient, ClientPlace } from './clientChoice';

export interface ResumeFlowDeps extends Pick<Services, 'dialogs' | 'extraConfigDirOf' | 't'> {
  /** Null if there is no client, which has been reported, or if the person cancelled. */
  readonly chooseClient: (place: ClientPlace, title: string) => Promise<ChosenClient | null>;
  /** The session with the present path of its transcript, which clients move; with the given one if it is nowhere. */
  readonly find: (session: NamedSession) => Promise<NamedSession>;
  /** `clientVersion`: null for the client that all verdicts speak for. Rejects when aborted. */
  readonly judge: (session: SessionRef, clientVersion: string | null, signal: AbortSignal) => Promise<ResumeVerdict>;
  /** The working folder of a session, as the tree knows it. */
  readonly folderOf: (filePath: string) => string | null;
  readonly isFolder: (path: string) => Promise<boolean>;
  /** What happens to a broken session before it is resumed. */
  readonly repairMode: () => ResumeRepair;
  /**
   * Repairs without asking and reports the result. False if that failed; the failure is reported as well. `clientVersion`: null for
   * the client that all verdicts speak for.
   */
  readonly repair: (session: NamedSession, clientVersion: string | null) => Promise<boolean>;
  /** Offers a repair in the conversation of the session. */
  readonly offerRepair: (filePath: string) => void;
  /** Does what a finding of the session offers. */
  readonly takeOffer: (session: NamedSession, offer: FindingOffer) => Promise<void>;
  readonly fork: (session: NamedSession) => Promise<void>;
  readonly showTerminal: (session: NamedSession) => Promise<void>;
  /** Starts another session in a folder; null to ask which. `configDir`: that of another account; null for the main one. */
  readonly newSession: (folder: string | null, configDir: string | null) => Promise<void>;
  readonly start: (session: PlacedSession, client: ChosenClient) => Promise<void>;
}

/** Resumes a session in a terminal or in Claude Code's panel, after a warning about any history that would be lost. */
export class ResumeFlow {
  readonly #deps: ResumeFlowDeps;

  constructor(deps: ResumeFlowDeps) {
    this.#deps = deps;
  }

  /** @param chosen the client, or where it is to run */
  async resume(named: NamedSession, chosen: ClientPlace | ChosenClient = 'terminal'): Promise<void> {
    const { chooseClient, dialogs, extraConfigDirOf, find, folderOf, isFolder, start, t } = this.#deps;
    const title = sessionLabel(named, t);
    if (!isSessionId(named.id)) {
      this.#refuse(t('Claude Code cannot resume this transcript: its name is no session id.'));
      return;
    }
    const configDir = extraConfigDirOf(named.path);
    const wanted = chosen === 'ask' && configDir !== null ? 'terminal' : chosen;
    const client = typeof wanted === 'string' ? await chooseClient(wanted, t('Resume “{0}”', title)) : wanted;
    if (client === null) return;
    if (client.kind === 'panel' && configDir !== null) {
      this.#refuse(t('Claude Code’s panel does not find sessions in {0}. Resume this one in a terminal.', configDir));
      return;
    }
    const session = await find(named);
    const found = await this.#judge(session, client);
    if (found === null) dialogs.note(t('“{0}” is resumed without being checked.', title));
    const cwd = found?.scan.metadata.cwd ?? folderOf(session.path);
    if (found?.scan.result.status === 'missing') {
      await this.#offerNew(t('The transcript of “{0}” is gone: {1}', title, session.path), cwd, configDir);
      return;
    }
    if (found !== null && found.scan.problem !== null) {
      this.#refuse(found.scan.problem);
      return;
    }
    if (cwd !== null && !(await isFolder(cwd))) {
      this.#refuse(t('The folder that this session was in is gone: {0}', cwd));
      return;
    }
    if (found !== null && !(await this.#mayStart({ ...session, cwd }, found, client))) return;
    await start({ ...session, cwd }, client);
  }

  /** Null if the person does not wait for it. */
  #judge(session: NamedSession, client: ChosenClient): Promise<ResumeVerdict | null> {
    const { dialogs, judge, t } = this.#deps;
    return dialogs.duringUnlessSkipped(
      t('Checking “{0}”. Cancel to resume it without.', sessionLabel(session, t)),
      (signal) => judge(session, client.version, signal),
    );
  }

  async #mayStart(session: PlacedSession, found: ResumeVerdict, client: ChosenClient): Promise<boolean> {
    if (found.live !== 'not-live') return this.#mayRunTwice(session, found);
    return this.#mayLoad(session, found, client);
  }

  /** Two clients that run one session write two branches. */
  async #mayRunTwice(session: NamedSession, { live, why }: ResumeVerdict): Promise<boolean> {
    const { dialogs, fork, showTerminal, t } = this.#deps;
    const isCertain = live === 'live';
    const [show, forkIt, resume] = [t('Show Terminal'), t('Fork Session…'), t('Resume Anyway')];
    const risk = t('When two of them write to one session, each forgets what the other one did. A fork is safe.');
    const answer = await dialogs.ask({
      kind: 'warning',
      message: isCertain
        ? t('Claude Code is already running “{0}”.', sessionLabel(session, t))
        : t('Claude Code may still be running “{0}”.', sessionLabel(session, t)),
      detail: why === null ? risk : `${why} ${risk}`,
      buttons: isCertain ? [show, forkIt, resume] : [forkIt, resume],
    });
    if (answer === show) await showTerminal(session);
    if (answer === forkIt) await fork(session);
    return answer === resume;
  }

  /** Repairs a broken session first if the setting says so; otherwise asks the person. */
  async #mayLoad(session: PlacedSession, found: ResumeVerdict, client: ChosenClient): Promise<boolean> {
    const { repairMode, repair } = this.#deps;
    const { status, findings, resume } = found.scan.result;
    if (status !== 'corrupted') return true;
    const isLost = isUnrecoverable({ live: found.live, resume, isMendable: findings.some(isMendable) });
    if (isLost) return this.#askUnrecoverable(session);
    const isAutomatic = findings.some(isForAutomaticRepair);
    // What was not measured is not relied on without asking.
    if (isAutomatic && resume.isExact && repairMode() === 'repair' && (await repair(session, client.version)))
      return true;
    return this.#askBroken(session, found);
  }

  async #askUnrecoverable(session: PlacedSession): Promise<boolean> {
    const { dialogs, extraConfigDirOf, newSession, t } = this.#deps;
    const [start, resume] = [t('New Session'), t('Resume Anyway')];
    const answer = await dialogs.ask({
      kind: 'warning',
      message: t('Claude remembers nothing of “{0}”.', sessionLabel(session, t)),
      detail: t('No repair brings a message back. The transcript stays as it is and can still be read.'),
      buttons: [start, resume],
    });
    if (answer === start) await newSession(session.cwd, extraConfigDirOf(session.path));
    return answer === resume;
  }

  async #askBroken(session: NamedSession, found: ResumeVerdict): Promise<boolean> {
    const { dialogs, offerRepair, takeOffer, t } = this.#deps;
    const { findings, resume: now } = found.scan.result;
    const offer =
      findings.find((finding) => finding.severity === 'error' && finding.offer !== undefined)?.offer ?? null;
    const offered = offer === null ? null : offerName(offer, t);
    const isRefused = findings.some((finding) => finding.isRefused === true);
    const [repair, resume] = [t('Show the Repair'), t('Resume Anyway')];
    const isRepairable = findings.some(isForRepair);
    const answer = await dialogs.ask({
      kind: 'warning',
      message: t('“{0}” is broken.', sessionLabel(session, t)),
      detail: isRefused
        ? t('As it is, Claude’s API refuses every prompt.')
        : now.loads === 0
          ? t('As it is, Claude remembers nothing of it.')
          : t('As it is, Claude remembers only a part of it.'),
      buttons: [...(isRepairable ? [repair] : []), ...(offered === null ? [] : [offered]), resume],
    });
    // The person resumes the session from there.
    if (answer === repair) offerRepair(session.path);
    if (offer !== null && answer === offered) await takeOffer(session, offer);
    return answer === resume;
  }

  async #offerNew(message: string, cwd: string | null, configDir: string | null): Promise<void> {
    const { dialogs, isFolder, newSession, t } = this.#deps;
    const start = t('New Session');
    const answer = await dialogs.notify('error', message, start);
    if (answer !== start) return;
    await newSession(cwd !== null && (await isFolder(cwd)) ? cwd : null, configDir);
  }

  #refuse(message: string): void {
    void this.#deps.dialogs.notify('error', message);
  }
}
