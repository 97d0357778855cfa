// Makes what the first text of a job needs while a long text is on its way: formats and fonts take milliseconds, and the
// page has nothing else to do then.
import { languageName } from '../../format/names';
import { formatInteger, formatUsd } from '../../format/numbers';
import { formatDateTime } from '../../format/time';
import { readingFont } from './row-estimate';
import { textWidth } from '../../text-width';

const SAMPLE = { seconds: 0, text: 'word', language: 'en', dollars: '0.01' };

export function warmUp(): void {
  formatDateTime(SAMPLE.seconds);
  formatUsd(SAMPLE.dollars);
  formatInteger(SAMPLE.seconds);
  languageName(SAMPLE.language);
  textWidth(SAMPLE.text, readingFont());
}
