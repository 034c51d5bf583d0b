/** testcontainers needs a newer Node.js than we do. */
const NODE = { major: 22, minor: 22 }

/** Runs before tests in containers, so that none counts as passed where they cannot run. @throws {Error} there. */
export default async function needsDocker(): Promise<void> {
  const missing = await whyNoContainers()
  if (missing !== undefined)
    throw new Error(
      `${missing}\nThese tests start the real images of EventStoreDB, MongoDB, Redis, S3 servers and Mailpit. Nothing was tested.`,
    )
}

async function whyNoContainers(): Promise<string | undefined> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major < NODE.major || (major === NODE.major && minor < NODE.minor))
    return `Containers need Node.js ${NODE.major}.${NODE.minor} or later, this is ${process.versions.node}.`
  const { getContainerRuntimeClient } = await import('testcontainers')
  return getContainerRuntimeClient().then(
    () => undefined,
    (error: unknown) => `Docker is not available: ${error instanceof Error ? error.message : String(error)}`,
  )
}
