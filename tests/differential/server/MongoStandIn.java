import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;

/** A server of MongoDB's protocol on a free port of this machine, which it prints; it ends with its standard input. */
public class MongoStandIn {
    public static void main(String[] arguments) throws Exception {
        MongoServer server = new MongoServer(new MemoryBackend());
        System.out.println(server.bind().getPort());
        System.out.flush();
        while (System.in.read() >= 0) {
            // The input is not used: only its end matters.
        }
        server.shutdownNow();
    }
}
