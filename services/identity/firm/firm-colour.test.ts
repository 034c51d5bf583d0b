import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { accentFault, accentShades, colourOf, darkContrast, hexOf, statuses, surfaces } from './firm-colour.ts'

const everyHue = Array.from({ length: 36 }, (_, step) => hexOf({ lightness: 0.42, chroma: 0.14, hue: step * 10 }))

describe('an accent colour', () => {
  it.each(['#1d4ed8', '#4338ca', '#000000', '#7c3aed', '#0369a1', '#be185d'])('%s can be read', (hex) =>
    expect(accentFault(hex)).toBeUndefined(),
  )

  it('is refused where it cannot be read, with the nearest shade that can', () => {
    for (const hex of ['#ffcc00', '#ffffff', '#7dd3fc', '#22c55e', '#f97316']) {
      const fault = accentFault(hex) ?? ''
      expect(fault).toMatch(/^#[0-9a-f]{6} is too light to read on white and behind white text: its contrast is \d\.\d/)
      const [, nearest = ''] = /(#[0-9a-f]{6}) is the nearest/.exec(fault) ?? []
      expect(accentFault(nearest) ?? '').not.toContain('too light')
    }
  })

  it('is refused where it would be taken for a status', () => {
    expect(accentFault(hexOf(statuses.bad))).toContain('the red of what is breached')
    expect(accentFault(hexOf(statuses.good))).toContain('the green of what is good')
  })

  it('has a shade for the dark theme that can be read, whatever it is', () => {
    for (const hex of [...everyHue, '#000000', '#1d4ed8', '#3b0764'])
      expect(darkContrast(hex), hex).toBeGreaterThan(4.5)
  })

  it('is itself in the light theme', () => {
    expect(accentShades('#1d4ed8').accent).toMatch(/^light-dark\(#1d4ed8,#[0-9a-f]{6}\)$/)
    for (const hex of everyHue) expect(hexOf(colourOf(hex))).toBe(hex)
  })

  it('is measured on the surfaces that the app has', () => {
    const css = readFileSync(new URL('../../../web/src/colors.css', import.meta.url), 'utf8')
    const written = (name: string) => {
      const [, ...parts] =
        new RegExp(`--color-${name}: light-dark\\(oklch\\(([^)]*)\\), oklch\\(([^)]*)\\)\\)`).exec(css) ?? []
      return parts.map((part) => part.split(' ').map(Number))
    }
    for (const name of ['paper', 'card', 'sunken', 'hover'] as const)
      expect(written(name), name).toEqual([surfaces.light[name], surfaces.dark[name]].map((one) => Object.values(one)))
    for (const name of ['good', 'review', 'waiting', 'bad'] as const) {
      const { lightness, chroma, hue } = statuses[name]
      expect(written(name)[0], name).toEqual([lightness, chroma, hue])
    }
  })
})
