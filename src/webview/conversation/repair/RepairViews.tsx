import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { RepairedPart } from '../../../protocol/channels/panel';
import type { PanelItem } from '../../../protocol/conversation';
import { Icon } from '../../ui/Icon';
import { dependOn, type Translate } from '../../ui/texts';
import { useApp } from '../conversationApp';
import { linesOf } from '../state/expandedRows';
import { isRepairableError } from './repairState';

/** What a repair would bring, and the buttons that do it: at a break, and above a conversation that has none. */
export function RepairOffer(): JSX.Element | null {
  const { store, repair, usage, act, t } = useApp();
  const buttons = useRef<HTMLDivElement>(null);
  const proposal = repair.proposal.value;
  const work = repair.work.value;
  const { revision } = store.head.value;
  const scope = repair.scope.value;
  dependOn(repair.focusNext);
  useEffect(() => {
    void repair.propose();
  }, [repair, revision, scope]);
  useEffect(() => {
    const button = buttons.current?.querySelector('button');
    if (repair.focusNext.peek() !== 'offer' || !(button instanceof HTMLButtonElement)) return;
    repair.focusNext.value = null;
    button.focus();
  });
  if (proposal === null) return <p class="repair-effect">{t('Looking for what a repair would bring…')}</p>;
  if (proposal.kind === 'nothing') return <p class="repair-effect">{proposal.why}</p>;
  const isShown = repair.isChangeShown.value ?? proposal.changes !== 'links';
  const code = scope === 'all' ? usage.findings.value.find(isRepairableError)?.code : scope;
  const isBusy = work === 'repairing' || work === 'undoing';
  return (
    <div class="repair-offer" data-unsearched>
      <p class="repair-effect">{proposal.effect}</p>
      {proposal.notes.map((note) => (
        <p key={note} class="repair-note">
          {note}
        </p>
      ))}
      <div ref={buttons} class="repair-buttons">
        <button type="button" class="button" aria-disabled={isBusy} onClick={() => void repair.repair(false)}>
          <Icon name="wrench" />
          {verb(proposal.changes, isBusy, t)}
        </button>
        <button
          type="button"
          class="text-button"
          aria-expanded={isShown}
          onClick={() => {
            repair.isChangeShown.value = !isShown;
          }}
        >
          {isShown ? t('Hide the change') : t('Show the change')}
        </button>
        {code !== undefined && (
          <button
            type="button"
            class="text-button"
            onClick={() => {
              act({ kind: 'explainRepair', code });
            }}
          >
            {t('About this repair')}
          </button>
        )}
      </div>
      <Refusal of="repair" />
      {isShown && <Change text={proposal.change} />}
    </div>
  );
}

function verb(changes: RepairedPart, isBusy: boolean, t: Translate): string {
  switch (changes) {
    case 'links':
      return isBusy ? t('Reconnecting…') : t('Reconnect');
    case 'content':
      return isBusy ? t('Repairing…') : t('Repair');
    case 'branch':
      return isBusy ? t('Switching…') : t('Go on with the newest messages');
  }
}

/** Every edit of the file, in the style of a diff. */
function Change({ text }: { text: string }): JSX.Element {
  const { t } = useApp();
  return (
    <pre class="repair-change" tabIndex={0} aria-label={t('The change')}>
      {text.split('\n').map((line, at) => (
        <span key={at} class={lineClass(line)}>
          {line}
        </span>
      ))}
    </pre>
  );
}

function lineClass(line: string): string {
  if (line.startsWith('@@')) return 'repair-place';
  if (line.startsWith('- ')) return 'repair-removed';
  return line.startsWith('+ ') ? 'repair-added' : '';
}

/** Why the repair or its undo was not done, with a button to do it all the same if the person can accept the risk. */
function Refusal({ of }: { of: 'repair' | 'undo' }): JSX.Element | null {
  const { repair, t } = useApp();
  const refusal = repair.refusal.value;
  if (refusal?.of !== of) return null;
  return (
    <p class="repair-refusal" role="alert">
      <Icon name="warning" />
      <span>{refusal.why}</span>
      {refusal.canInsist && (
        <button
          type="button"
          class="text-button"
          onClick={() => void (of === 'repair' ? repair.repair(true) : repair.undo(true))}
        >
          {of === 'repair' ? t('Repair anyway') : t('Undo anyway')}
        </button>
      )}
    </p>
  );
}

/** The seam above an item with a message that a repair connected to an earlier one; nothing above other items. */
export function RepairSeamAt({ item }: { item: PanelItem }): JSX.Element | null {
  const { repair } = useApp();
  const seams = repair.seam.value?.lines ?? [];
  if (seams.length === 0) return null;
  const lines = linesOf(item).filter((line) => seams.includes(line));
  const last = seams.at(-1);
  if (lines.length === 0) return null;
  return (
    <div class="seam" data-unsearched>
      <div class="seam-stitches" aria-hidden="true" />
      <RepairDone hasButtons={last !== undefined && lines.includes(last)} />
    </div>
  );
}

/** Says that the session was repaired. @param hasButtons  only the last of several seams has them */
export function RepairDone({ hasButtons }: { hasButtons: boolean }): JSX.Element {
  const { repair, act, t } = useApp();
  const line = useRef<HTMLDivElement>(null);
  dependOn(repair.focusNext);
  const isUndoing = repair.work.value === 'undoing';
  useEffect(() => {
    if (!hasButtons || repair.focusNext.peek() !== 'seam') return;
    repair.focusNext.value = null;
    line.current?.focus();
  });
  return (
    <>
      <div ref={line} class="seam-line" tabIndex={hasButtons ? -1 : undefined} role={hasButtons ? 'status' : undefined}>
        <Icon name="wrench" />
        <span>{t('Repaired')}</span>
        {hasButtons && (
          <>
            <button type="button" class="text-button" aria-disabled={isUndoing} onClick={() => void repair.undo(false)}>
              {isUndoing ? t('Undoing…') : t('Undo')}
            </button>
            <button
              type="button"
              class="text-button"
              onClick={() => {
                act({ kind: 'resume' });
              }}
            >
              {t('Resume')}
            </button>
          </>
        )}
      </div>
      {hasButtons && <Refusal of="undo" />}
    </>
  );
}
