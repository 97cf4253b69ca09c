import { type Attributes, context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { VERSION } from "./package.ts";

/** A request, as its span shows it. */
interface TracedRequest {
  name: string;
  attributes: Attributes;
  /** May name the caller's span, as `traceparent` (W3C Trace Context). */
  carrier: object;
}

export interface Outcome {
  attributes: Attributes;
  /** What went wrong, as a code. Undefined where the request is answered as it should be. */
  error: string | undefined;
}

export interface Tracing {
  /** Serves a request within a span. */
  serve<T>(request: TracedRequest, work: () => Promise<T>, outcomeOf: (answer: T) => Outcome): Promise<T>;
}

/** Spans by OpenTelemetry's API. It does nothing before a program has registered an SDK, which all copies of the API share. */
export function createTracing(): Tracing {
  const tracer = trace.getTracer("rostrum", VERSION);
  return {
    serve({ name, attributes, carrier }, work, outcomeOf) {
      const parent = propagation.extract(context.active(), carrier);
      return tracer.startActiveSpan(name, { kind: SpanKind.SERVER, attributes }, parent, async (span) => {
        try {
          const answer = await work();
          const { attributes: known, error } = outcomeOf(answer);
          span.setAttributes(known);
          if (error !== undefined) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
          return answer;
        } catch (error) {
          span.setAttribute("error.type", (error as Error).name).setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };
}
