import type { Express, RequestHandler } from "express";
import { AUTHORIZE_PATH, CONNECTOR_SCOPES, MCP_PATH } from "../../domain/access/oauth.ts";
import { mountDocument } from "../../http/cors.ts";
import { type ConnectionLog, clientOf } from "../connection-log.ts";

/** RFC 9728: the well-known path, followed by the path of the resource. */
const WELL_KNOWN = "/.well-known/oauth-protected-resource";
export const RESOURCE_METADATA_PATH = `${WELL_KNOWN}${MCP_PATH}`;
const SERVER_METADATA_PATH = "/.well-known/oauth-authorization-server";
export const METADATA_PATHS = [WELL_KNOWN, RESOURCE_METADATA_PATH, SERVER_METADATA_PATH];

export const ENDPOINTS = { token: "/oauth/token", register: "/oauth/register", revoke: "/oauth/revoke" } as const;

interface MetadataParts {
  url: () => string;
  readsDocuments: boolean;
  connections: ConnectionLog;
}

/** Discovery: how a client that knows the URL of the MCP endpoint learns how to sign in. */
export function mountMetadata(app: Express, { url, readsDocuments, connections }: MetadataParts): void {
  const read: RequestHandler = (request, _response, next) => {
    connections.reached("metadata", clientOf(request));
    next();
  };
  for (const path of [WELL_KNOWN, RESOURCE_METADATA_PATH]) {
    mountDocument(app, path, read, (_request, response) => {
      response.json({
        resource: url() + MCP_PATH,
        resource_name: "Rostrum",
        authorization_servers: [url()],
        scopes_supported: CONNECTOR_SCOPES,
        bearer_methods_supported: ["header"],
      });
    });
  }
  mountDocument(app, SERVER_METADATA_PATH, read, (_request, response) => {
    response.json({
      issuer: url(),
      authorization_endpoint: url() + AUTHORIZE_PATH,
      token_endpoint: url() + ENDPOINTS.token,
      registration_endpoint: url() + ENDPOINTS.register,
      revocation_endpoint: url() + ENDPOINTS.revoke,
      scopes_supported: CONNECTOR_SCOPES,
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      grant_types_supported: ["authorization_code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: ["none"],
      revocation_endpoint_auth_methods_supported: ["none"],
      authorization_response_iss_parameter_supported: true,
      ...(readsDocuments && { client_id_metadata_document_supported: true }),
    });
  });
}
