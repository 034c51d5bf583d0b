/** Which characters of a text nobody sees, or reorder what stands around them (decision 045). */

/** Control characters, lone surrogates, line separators, and what Unicode or a font draws as nothing. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu

const BREAKS = ['\n', '\t']

/** Letters and marks of the scripts whose spelling needs joiners: Persian names and compounds, Indic conjuncts. */
const JOINED =
  String.raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}` +
  String.raw`\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}]`

/** One joiner after such a letter or mark. Digits and punctuation are shared between scripts and need none. */
const JOINER = String.raw`(?<=(?=[\p{L}\p{M}])${JOINED})[\u200c\u200d]`

/** The parts of an emoji: its variation selector, a keycap's, and the joiner to the next part. */
const EMOJI =
  String.raw`(?<=\p{Extended_Pictographic}|[0-9#*](?=.\u20e3))[\ufe0e\ufe0f]` +
  String.raw`|(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})`

/** The shape of an ideograph, as Japanese names have it. */
const IDEOGRAPH = String.raw`(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`

const NEEDED = new RegExp(`${JOINER}|${EMOJI}|${IDEOGRAPH}`, 'gu')

/** The first character that no one sees where it stands; undefined without one. Line breaks and tabs count. */
export function unseenCharacter(text: string): string | undefined {
  return text.replaceAll(NEEDED, '').match(UNSEEN)?.[0]
}

/** The same for a text of several lines. */
export function unseenInLines(text: string): string | undefined {
  return text
    .replaceAll(NEEDED, '')
    .match(UNSEEN)
    ?.find((character) => !BREAKS.includes(character))
}

/** 'U+202E' */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
