import { GenericContainer, getContainerRuntimeClient, Wait } from 'testcontainers'
import { type Image, images } from './images.ts'
import { freePort } from './ports.ts'

/** How to run a server from its image. */
export interface ContainerProgram {
  /** The port in the container; by default the same as outside. */
  readonly inside?: number
  /** Another port to reach from outside. */
  readonly also?: { readonly inside: number; readonly port: number }
  readonly entrypoint?: readonly string[]
  readonly commandFor?: (port: number) => readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** It is ready once this address answers 2xx, or this command succeeds. */
  readonly ready: { readonly path: string } | { readonly commandFor: (port: number) => string }
}

/** Starts a real server in a container. Its data stays there when that is killed and restarted. */
export async function startContainer(image: Image, program: ContainerProgram) {
  const { also, entrypoint, commandFor, environment = {}, ready } = program
  const port = await freePort()
  const inside = program.inside ?? port
  // Fixed ports: a restarted container would get others.
  const described = new GenericContainer(images[image])
    .withExposedPorts({ container: inside, host: port }, ...(also ? [{ container: also.inside, host: also.port }] : []))
    .withEnvironment({ ...environment })
    .withWaitStrategy(
      'path' in ready
        ? Wait.forHttp(ready.path, also?.inside ?? inside).forStatusCodeMatching(
            (status) => status >= 200 && status < 300,
          )
        : Wait.forSuccessfulCommand(ready.commandFor(inside)),
    )
  if (entrypoint) described.withEntrypoint([...entrypoint])
  if (commandFor) described.withCommand([...commandFor(inside)])
  const started = await described.start()
  const container = (await getContainerRuntimeClient()).container.getById(started.getId())
  const state = async () => (await container.inspect()).State
  const resume = async (): Promise<void> => {
    if ((await state()).Paused) await container.unpause()
  }
  return {
    port,
    async start() {
      if (!(await state()).Running) await started.restart()
    },
    async kill() {
      if (!(await state()).Running) return
      await container.kill()
      await container.wait()
    },
    pause: async () => void (await container.pause()),
    resume,
    async close() {
      await resume()
      await started.stop({ timeout: 5_000 })
    },
  }
}
