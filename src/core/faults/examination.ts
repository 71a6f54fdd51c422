import type { Resume } from '../resume/simulateResume';
import type { TranscriptFacts } from '../transcript/transcriptIndex';
import type { ChainView } from './chainView';

/** What the failure classes look at: bytes → facts → resume, and the chain as a person would count it. */
export interface Examination {
  readonly facts: TranscriptFacts;
  readonly resume: Resume;
  readonly view: ChainView;
}
