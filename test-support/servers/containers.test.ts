import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { imageSetups } from '#test-support/setups.ts'
import { images, namesIn } from './images.ts'
import needsDocker from './needs-docker.ts'

const names = Object.keys(images)

/** What can be known of tests in containers where there are none. */
describe('tests in containers', () => {
  it('use the named images, and none by default', () => {
    expect(namesIn('NO_VARIABLE', names)).toEqual([])
    expect(namesIn('NAMES', names, '')).toEqual([])
    expect(namesIn('NAMES', names, 'redis,mongodb-replica-set')).toEqual(['redis', 'mongodb-replica-set'])
  })

  it('refuse an unknown image, which would leave something untested', () => {
    expect(() => namesIn('NAMES', names, 'redis,mongo')).toThrow(/NAMES: mongo is none of eventstore, mongodb, /)
  })

  it('use the images of the deployment files at fixed versions', () => {
    const compose = readFileSync(new URL('../../infra/deploy/compose.yaml', import.meta.url), 'utf8')
    const deployed = [...compose.matchAll(/^ +image: \$\{\w+:-(\S+)\}$/gm)].map(([, image]) => image)
    for (const image of Object.values(images)) {
      expect(image).toMatch(/:[^:]*\d/)
      // An S3 server beside the one in the compose file.
      if (!image.startsWith('minio/')) expect(deployed).toContain(image)
    }
  })

  it('do not count as passed where Docker is not available', async ({ skip }) => {
    skip(existsSync('/var/run/docker.sock'), 'Docker is available')
    await expect(needsDocker()).rejects.toThrow(
      /^(Docker is not available: |Containers need Node\.js )[^]+Nothing was tested\.$/,
    )
    for (const { globalSetup } of imageSetups) expect(globalSetup).toEqual(['./test-support/servers/needs-docker.ts'])
  })
})
