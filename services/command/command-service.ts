import type { Express } from 'express'
import type { Position } from '#infra/event-store/event-store.ts'
import { serve } from '#services/framework/http/serve-route.ts'
import { createStepUp } from '#services/identity/authentication/step-up.ts'
import { clientNetwork } from '#services/framework/http/client-network.ts'
import { limits } from '#services/framework/http/limits.ts'
import { createInFlightLimit } from '#services/framework/http/throttle.ts'
import type { PolicyParts, PortalParts } from '#services/portal/parts.ts'
import { allModules, createReact } from '#services/portal/modules.ts'
import type { Command } from '#services/framework/module.ts'
import type { Route } from '#services/framework/api/route.ts'

/** The command service is given these parts. */
export interface CommandServiceParts
  extends
    Omit<PortalParts['commands'], 'stepUp' | 'passwordWork' | 'react'>,
    Pick<PortalParts['queries'], 'accessControl'> {
  readonly policyDependencies: PolicyParts
}

/** Registers every change of every subject: parse, load, decide, append. */
export function registerCommands(app: Express, parts: CommandServiceParts): void {
  const { accessControl, secureCookies, eventStore } = parts
  const inFlight = createInFlightLimit(limits.passwords.perNetwork)
  const dependencies: PortalParts['commands'] = {
    ...parts,
    stepUp: createStepUp(parts),
    passwordWork: (request, work) => inFlight(clientNetwork(request), work),
    react: createReact(parts.policyDependencies),
  }
  const options = {
    accessControl,
    secureCookies,
    end: (): Promise<Position> => eventStore.end(),
    secrets: parts.secrets,
  }
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
