import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ListedFile, NoteGroup, NoteTarget } from '../../protocol/channels/rewindView';
import { VisibleText } from '../blocks/parts/VisibleText';
import { Icon } from '../ui/Icon';
import { useApp } from './rewindApp';

/** So many lines are shown at once; of more, only the headings. */
const MAX_UNASKED_NOTES = 4;

interface NotRestoredProps {
  readonly groups: readonly NoteGroup[];
  /** Those of the plan. */
  readonly files: readonly ListedFile[];
}

/** What a rewind of the chosen files does not bring back, by kind. Each line leads to what it is about. */
export function NotRestored(props: NotRestoredProps): JSX.Element | null {
  const { choice, formats, t } = useApp();
  const chosen = new Set(choice.chosen(props.files).map(({ path }) => path));
  const groups = props.groups.flatMap((group) => {
    const notes = group.notes.filter(({ onlyWith }) => onlyWith === undefined || chosen.has(onlyWith));
    return notes.length === 0 ? [] : [{ ...group, notes }];
  });
  const count = groups.reduce((sum, { notes, more }) => sum + notes.length + more, 0);
  const isLong = count > MAX_UNASKED_NOTES;
  const [isAsked, setAsked] = useState(false);
  if (groups.length === 0) return null;
  const isOpen = !isLong || isAsked;
  return (
    <section class="not-restored" aria-labelledby="not-restored">
      <div class="not-restored-head">
        <Icon name="warning" />
        <h2 id="not-restored">{t('Not covered by checkpoints')}</h2>
        {isLong && (
          <button
            type="button"
            class="text-button"
            aria-expanded={isOpen}
            onClick={() => {
              setAsked(!isAsked);
            }}
          >
            {isOpen ? t('Show less') : t('Show all ({0})', formats.number(count))}
          </button>
        )}
      </div>
      <div class="not-restored-groups">
        {groups.map(({ heading, explanation, notes, more }) => (
          <div key={heading} class="note-group">
            <h3>{t('{0} ({1})', heading, formats.number(notes.length + more))}</h3>
            {explanation !== null && <p>{explanation}</p>}
            {isOpen && (
              <ul>
                {notes.map(({ words, target }, at) => (
                  <li key={at}>
                    <Note words={words} target={target} />
                  </li>
                ))}
                {more > 0 && <li>{t('{0} more', formats.number(more))}</li>}
              </ul>
            )}
          </div>
        ))}
      </div>
    </section>
  );
}

function Note({ words, target }: { words: string; target: NoteTarget | null }): JSX.Element {
  const { act, t } = useApp();
  if (target === null) return <VisibleText text={words} />;
  const open = (): void => {
    if (target.kind === 'message') act({ kind: 'showMessage', line: target.line });
    else act({ kind: 'openFile', path: target.path });
  };
  const title = target.kind === 'message' ? t('Show in the conversation') : t('Open File');
  return (
    <button type="button" class="note-link" title={title} onClick={open}>
      <VisibleText text={words} />
    </button>
  );
}
