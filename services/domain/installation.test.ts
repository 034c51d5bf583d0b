import { describe, expect, it } from 'vitest'
import { foundInstallation, installation, type InstallationEvent } from './installation.ts'
import { givenFacts } from './testing.ts'

const given = givenFacts(installation)
const founded: InstallationEvent = { type: 'InstallationFounded', data: {} }

describe('an installation', () => {
  it('is founded once', () => {
    given().when(foundInstallation).then([founded])
    given(founded).when(foundInstallation).thenNothing()
    expect(given().state.founded).toBe(false)
    expect(given(founded).state.founded).toBe(true)
  })
})
