import type { OutlineEntry } from '../../shared/conversation';
import type { Formats } from '../text/formats';
import type { Translate } from '../text/translate';
import type { ChoiceGroup } from '../window/dialogs';

/** Where a fork ends: at what Claude would load now, or at a prompt. */
export type ForkPoint = { readonly kind: 'end' } | { readonly kind: 'prompt'; readonly entry: OutlineEntry };

/** VS Code draws each item of a list, seen or not. */
const MAX_PROMPTS = 500;

/** What a session can be forked from: its end, and its prompts, those of late first. */
export function forkChoices(
  outline: readonly OutlineEntry[],
  nowMs: number,
  formats: Formats,
  t: Translate,
): readonly ChoiceGroup<ForkPoint>[] {
  const end = {
    value: { kind: 'end' } as const,
    label: t('From the end'),
    description: t('Everything that Claude would load now'),
    icon: 'repo-forked',
  };
  const prompts = outline.slice(-MAX_PROMPTS).reverse();
  return [
    { heading: null, choices: [end] },
    {
      heading: t('From a prompt'),
      choices: prompts.map((entry) => ({
        value: { kind: 'prompt', entry },
        label: entry.label === '' ? t('Without words') : entry.label,
        icon: 'comment',
        description: [
          entry.timeMs === null ? null : formats.timeAgo(entry.timeMs, nowMs),
          entry.isLoaded ? null : t('Claude does not load it now'),
        ]
          .filter((part) => part !== null)
          .join(' · '),
      })),
    },
  ];
}

/** Whether the fork of a prompt holds it. */
export function promptChoices(t: Translate): readonly ChoiceGroup<{ readonly isBefore: boolean }>[] {
  return [
    {
      heading: null,
      choices: [
        {
          value: { isBefore: true },
          label: t('Before this prompt'),
          description: t('To ask something else'),
          icon: 'arrow-up',
        },
        {
          value: { isBefore: false },
          label: t('With this prompt'),
          description: t('To have it answered again'),
          icon: 'arrow-down',
        },
      ],
    },
  ];
}
