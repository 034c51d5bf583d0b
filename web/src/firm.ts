import { ShownFirm } from '#services/identity/firm/shown-firm-api.ts'
import { createStore } from './store.ts'
import { useStore } from './use-store.ts'

/** The firm as this page shows it: as the server wrote it into the page, until a live change. */
const written = document.querySelector('meta[name=firm]')?.getAttribute('content')
const nobody: ShownFirm = { name: null, accent: null, logo: null, supportEmail: null }

const shownFirm = createStore(written ? ShownFirm.parse(JSON.parse(written)) : nobody)

export const useFirm = () => useStore(shownFirm)

/** Its name, or that of the program where nobody has named it. */
export const useFirmName = (): string => useFirm().name ?? 'Proofdesk'

export const firmNow = shownFirm.get

/** before-app.js has the same names, for the first paint. */
const properties = ['accent', 'accent-strong', 'accent-soft', 'on-accent']

/** Shows another firm at once: its colours everywhere, its name where components use it. */
export function showFirm(firm: ShownFirm): void {
  const { style } = document.documentElement
  for (const [at, name] of properties.entries()) {
    const shade = firm.accent?.[at]
    if (shade === undefined) style.removeProperty(`--color-${name}`)
    else style.setProperty(`--color-${name}`, shade)
  }
  shownFirm.set(firm)
}
