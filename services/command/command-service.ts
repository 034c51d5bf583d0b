import type { Express } from 'express'
import type { Position } from '#infra/event-store/event-store.ts'
import { serve } from '#services/authentication/serve-route.ts'
import { createStepUp } from '#services/authentication/step-up.ts'
import { clientNetwork } from '#services/http/client-network.ts'
import { limits } from '#services/http/limits.ts'
import { createInFlightLimit } from '#services/http/throttle.ts'
import type { CommandDependencies } from '#services/modules/dependencies.ts'
import { allModules, eraseUser } from '#services/modules/index.ts'
import type { Command } from '#services/modules/module.ts'
import type { Route } from '#services/api/route.ts'

/** What the command service is given. */
export type CommandServiceParts = Omit<CommandDependencies, 'stepUp' | 'passwordWork' | 'eraseUser'>

/** Registers every change of every subject: parse, load, decide, append. */
export function registerCommands(app: Express, parts: CommandServiceParts): void {
  const { accessControl, secureCookies, eventStore } = parts
  const inFlight = createInFlightLimit(limits.passwords.perNetwork)
  const dependencies: CommandDependencies = {
    ...parts,
    stepUp: createStepUp(parts),
    passwordWork: (request, work) => inFlight(clientNetwork(request), work),
    eraseUser,
  }
  const options = { accessControl, secureCookies, end: (): Promise<Position> => eventStore.end() }
  for (const { subject, commands } of allModules) {
    const handlers: Readonly<Record<string, Command<Route> | undefined>> = commands(dependencies)
    for (const [name, route] of Object.entries(subject.routes)) {
      const handler = handlers[name]
      if (!handler) continue
      if (typeof handler === 'function') serve(app, route, options, handler)
      else serve(app, route, { ...options, receive: handler.receive }, handler.handle)
    }
  }
}
