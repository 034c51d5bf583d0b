/**
 * The shades that the app paints with, made of the one accent colour of a firm, and whether it can be read. Colours are
 * in OKLCH (https://bottosson.github.io/posts/oklab), contrast is that of WCAG 2.2.
 */

/** Each is a CSS colour for the light and the dark theme, in the order of the page's properties. */
export interface AccentShades {
  readonly accent: string
  /** Under the pointer. */
  readonly strong: string
  /** Behind what is chosen. */
  readonly soft: string
  /** Text on the accent. */
  readonly on: string
}

interface Colour {
  readonly lightness: number
  readonly chroma: number
  /** In degrees. */
  readonly hue: number
}

const colour = (lightness: number, chroma: number, hue: number): Colour => ({ lightness, chroma, hue })

/** What text in the accent stands on, and the statuses; firm-colour.test.ts holds them equal to colors.css. */
export const surfaces = {
  light: {
    paper: colour(0.985, 0.003, 265),
    card: colour(1, 0, 0),
    sunken: colour(0.965, 0.005, 265),
    hover: colour(0.95, 0.008, 265),
  },
  dark: {
    paper: colour(0.185, 0.014, 268),
    card: colour(0.222, 0.016, 268),
    sunken: colour(0.255, 0.018, 268),
    hover: colour(0.285, 0.02, 268),
  },
} as const
export const statuses = {
  good: { ...colour(0.45, 0.12, 152), word: 'the green of what is good' },
  review: { ...colour(0.46, 0.1, 92), word: 'the yellow of what is under review' },
  waiting: { ...colour(0.5, 0.14, 52), word: 'the orange of what waits' },
  bad: { ...colour(0.5, 0.19, 26), word: 'the red of what is breached or failed' },
} as const

/** AA, for text. */
const LEAST_CONTRAST = 4.5
/** Two colours in OKLab that are nearer than this are taken for each other. */
const SAME = 0.05
const STEP = 0.005

/** @param hex '#1d4ed8' */
export function accentShades(hex: string): AccentShades {
  const { light, dark } = shadesOf(colourOf(hex))
  const both = (part: keyof typeof light) => `light-dark(${hexOf(light[part])},${hexOf(dark[part])})`
  return { accent: both('accent'), strong: both('strong'), soft: both('soft'), on: both('on') }
}

/** Why a colour cannot be the accent, in a sentence; undefined where it can. */
export function accentFault(hex: string): string | undefined {
  const chosen = colourOf(hex)
  const contrast = leastContrast(chosen)
  if (contrast < LEAST_CONTRAST)
    return `${hex} is too light to read on white and behind white text: its contrast is ${contrast.toFixed(1)} to 1, and text needs 4.5 to 1. ${hexOf(readable(chosen))} is the nearest shade that can be read`
  const taken = Object.values(statuses).find((status) => distance(status, chosen) < SAME)
  return taken && `${hex} is nearly ${taken.word}, and would be taken for it. Please choose another colour`
}

/** Darker, until it can be read. */
function readable(chosen: Colour): Colour {
  let shade = chosen
  while (shade.lightness > 0 && leastContrast(colourOf(hexOf(shade))) < LEAST_CONTRAST)
    shade = { ...shade, lightness: shade.lightness - STEP }
  return shade
}

/** The least contrast that text has in the light theme: in the accent on every surface, and white on it. */
function leastContrast(accent: Colour): number {
  const { soft, on } = shadesOf(accent).light
  return Math.min(...[...Object.values(surfaces.light), soft, on].map((other) => contrastOf(accent, other)))
}

/**
 * In the light theme the accent is the firm's own colour. On the dark surfaces nothing of that darkness could be read:
 * there it is a light shade of the same hue.
 */
function shadesOf(accent: Colour) {
  const { lightness, chroma, hue } = accent
  const pale = Math.min(chroma, 0.11)
  return {
    light: {
      accent,
      strong: colour(Math.max(0, lightness - 0.06), chroma, hue),
      soft: colour(0.955, Math.min(chroma, 0.02), hue),
      on: colour(1, 0, 0),
    },
    dark: {
      accent: colour(0.78, pale, hue),
      strong: colour(0.84, Math.min(chroma, 0.085), hue),
      soft: colour(0.3, Math.min(chroma, 0.06), hue),
      on: colour(0.2, Math.min(chroma, 0.04), hue),
    },
  }
}

/** The least contrast of text in the dark theme. */
export function darkContrast(hex: string): number {
  const { accent, soft, on } = shadesOf(colourOf(hex)).dark
  return Math.min(...[...Object.values(surfaces.dark), soft, on].map((other) => contrastOf(accent, other)))
}

function contrastOf(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** Of the colour as it is shown, in 8 bits. */
function luminance(shown: Colour): number {
  const [red = 0, green = 0, blue = 0] = bytesOf(hexOf(shown)).map(linear)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function distance(one: Colour, other: Colour): number {
  const [a = 0, b = 0] = axes(one)
  const [c = 0, d = 0] = axes(other)
  return Math.hypot(one.lightness - other.lightness, a - c, b - d)
}

function axes({ chroma, hue }: Colour): readonly number[] {
  const angle = (hue * Math.PI) / 180
  return [chroma * Math.cos(angle), chroma * Math.sin(angle)]
}

const bytesOf = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const encoded = (value: number) => (value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055)

export function colourOf(hex: string): Colour {
  const [red = 0, green = 0, blue = 0] = bytesOf(hex).map(linear)
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  const hue = (Math.atan2(b, a) * 180) / Math.PI
  return colour(0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, Math.hypot(a, b), (hue + 360) % 360)
}

/** The nearest colour that screens have: with less chroma where they have none of so much. */
export function hexOf(wanted: Colour): string {
  let shown = wanted
  while (shown.chroma > 0 && rgbOf(shown).some((part) => part < -0.0005 || part > 1.0005))
    shown = { ...shown, chroma: Math.max(0, shown.chroma - STEP) }
  const bytes = rgbOf(shown).map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255))
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function rgbOf(shown: Colour): readonly number[] {
  const [a = 0, b = 0] = axes(shown)
  const l = (shown.lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (shown.lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (shown.lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map(encoded)
}
