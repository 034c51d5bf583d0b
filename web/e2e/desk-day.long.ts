import { it } from 'vitest'
import { describeSite } from './kit.ts'
import { walkDeskDay } from './desk-day.ts'

for (const width of [1280, 390])
  describeSite(`a day of the desk at ${width} px`, (site) => {
    it('ends with every payment settled, and all numbers agree', { timeout: 400_000 }, () => walkDeskDay(site, width))
  })
