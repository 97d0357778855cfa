// Languages that can be named in advance, sorted by their names in the reader's language.
import { languageName } from '../../format/names';
import type { Option } from '../../components/select-field';

const allCodes =
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha he hi hr ht hu hy id is it ja jw ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh';

// Only those that the model knows; empty if it is not limited to some.
export function languageOptions(known: string[]): Option[] {
  const codes = known.length > 0 ? known : allCodes.split(' ');
  const options = codes
    .map((code) => ({ value: code, label: languageName(code) }))
    .sort((a, b) => a.label.localeCompare(b.label));
  return [{ value: '', label: 'Detect automatically' }, ...options];
}
