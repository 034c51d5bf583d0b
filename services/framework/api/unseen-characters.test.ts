import { describe, expect, it } from 'vitest'
import { codePointName, unseenCharacter, unseenInLines } from './unseen-characters.ts'

describe('what nobody sees', () => {
  it.each([
    ['a direction', 'Ada\u202Eolr', 'U+202E'],
    ['an isolate', 'Ada\u2066', 'U+2066'],
    ['a mark of direction', '\u200FAda', 'U+200F'],
    ['an Arabic mark of direction', 'Ada\u061C', 'U+061C'],
    ['a space of no width', 'A\u200Bda', 'U+200B'],
    ['a byte order mark', 'A\uFEFFda', 'U+FEFF'],
    ['a soft hyphen', 'A\u00ADda', 'U+00AD'],
    ['a word joiner', 'A\u2060da', 'U+2060'],
    ['a filler', '\u3164\u3164', 'U+3164'],
    ['an empty Braille cell', '\u2800', 'U+2800'],
    ['a tag', 'Ada\u{E0041}', 'U+E0041'],
    ['a variation selector', 'A\uFE0F', 'U+FE0F'],
    ['one behind a digit without a keycap', '100\uFE0F.00', 'U+FE0F'],
    ['an annotation', 'A\uFFF9da', 'U+FFF9'],
    ['an escape', 'Ada\u001B[2J', 'U+001B'],
    ['a control character of Latin-1', 'Ada\u009B', 'U+009B'],
    ['a null', 'Ada\u0000', 'U+0000'],
    ['half a character', 'Ada\uD83D', 'U+D83D'],
    ['a line separator', 'Ada\u2028', 'U+2028'],
    ['a joiner between Latin letters', 'A\u200Dda', 'U+200D'],
    ['a non-joiner behind a digit', '100\u200C', 'U+200C'],
    ['two joiners in a row', 'می\u200C\u200Cخواهم', 'U+200C'],
    ['a joiner before no emoji', '👩\u200Da', 'U+200D'],
  ])('is found: %s', (_, text, name) => {
    for (const find of [unseenCharacter, unseenInLines]) {
      const found = find(text)
      expect(found === undefined ? found : codePointName(found)).toBe(name)
    }
  })

  it.each([
    ['Latin with accents', 'Zoë Müller-O’Brien, Łódź'],
    ['combining marks', 'Zoe\u0308'],
    ['a Persian name with a non-joiner', 'علی\u200Cرضا'],
    ['Hebrew', 'משה כהן'],
    ['a Hindi name with a joiner', 'श्री\u200Dकृष्ण'],
    ['a Sinhala conjunct', 'ශ්\u200Dරී'],
    ['a Bengali conjunct', 'র\u200D্যাম'],
    ['an old Malayalam ending', 'രമണന്\u200D'],
    ['a Japanese name with the shape of its ideograph', '渡邉\u{E0100}'],
    ['Chinese', '王小明'],
    ['an emoji of several people', '👩🏽\u200D🚀 👨\u200D👩\u200D👧'],
    ['a flag and a heart', '🏳️\u200D🌈 ❤️'],
    ['a keycap', '1️⃣'],
    ['a space that does not break', 'Rue\u00A0de la Paix'],
    ['an ideographic space', '山田\u3000太郎'],
  ])('is not what names and addresses need: %s', (_, text) => {
    expect(unseenCharacter(text)).toBeUndefined()
  })

  it('is a line break or a tab in one line, and not in several', () => {
    for (const text of ['one\ntwo', 'one\ttwo']) {
      expect(unseenCharacter(text)).toBe(text[3])
      expect(unseenInLines(text)).toBeUndefined()
    }
    expect(unseenInLines('one\ntwo\u202E')).toBe('\u202E')
    expect(unseenInLines('one\rtwo')).toBe('\r')
  })
})
